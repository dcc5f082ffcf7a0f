import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Colors } from 'picocolors/types.js';
import { answers, permissionModes, roles, roomModes } from '../../shared/vocabulary/words.ts';
import type { Answer, Role } from '../../shared/vocabulary/words.ts';
import type { Call, RoomFlags } from './call.ts';
import { readEngineFlag } from './engine-flag.ts';
import type { EngineFlag } from './engine-flag.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';

/** Where help and complaints go. */
export interface ProgramOutput {
  readonly write: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly colours: Colors;
}

export type Parsed =
  { readonly kind: 'call'; readonly call: Call } | { readonly kind: 'exit'; readonly code: ExitCode };

/** Reads a command line (without the program's own name). Help, the version and complaints are written here. */
export function parseCommandLine(words: readonly string[], version: string, output: ProgramOutput): Parsed {
  const found: Call[] = [];
  const program = createProgram(version, output, (call) => found.push(call));
  try {
    program.parse(words, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return { kind: 'exit', code: thrown.exitCode === 0 ? exitCodes.done : exitCodes.usage };
  }
  const call = found[0];
  return call === undefined ? { kind: 'exit', code: exitCodes.usage } : { kind: 'call', call };
}

type Take = (call: Call) => void;

function createProgram(version: string, output: ProgramOutput, take: Take): Command {
  const { colours } = output;
  const program = new Command('tribune')
    .description('The control room for teams of AI agents: one works, one reviews, one settles deadlocks.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    // What stands behind `rooms set` is for `set`, and not for `rooms`, which has a --json too.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: output.write,
      writeErr: output.complain,
      outputError: (text, write) => {
        write(colours.red(text));
      },
      getOutHasColors: () => colours.isColorSupported,
      getErrHasColors: () => colours.isColorSupported,
    })
    .configureHelp({
      styleTitle: (text) => colours.bold(text),
      styleCommandText: (text) => colours.cyan(text),
      styleOptionText: (text) => colours.cyan(text),
    })
    .showHelpAfterError('(add --help for how to use it)')
    .addHelpText(
      'after',
      examples(
        'tribune run --dir ~/code/shop "The cart forgets its items after a reload. Fix it."',
        'tribune tasks --open',
        'tribune events --follow',
      ) +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 waits for a person, 4 stopped or superseded,\n' +
        '5 no host, 130 interrupted. The data is in TRIBUNE_HOME (see docs/cli.md).\n',
    );
  addWork(program, take);
  addRooms(program, take);
  addTasks(program, take);
  addPersons(program, take);
  addHost(program, take);
  addImage(program, take);
  return program;
}

interface CommonOptions {
  readonly json?: true;
}
interface FollowingOptions extends CommonOptions {
  readonly wait: boolean;
  readonly verbose?: true;
}

function addWork(program: Command, take: Take): void {
  following(
    roomOptions(
      program
        .command('run')
        .summary('give a directory a piece of work, and follow it to its end')
        .description(
          'Sends a message to the room of a directory, and makes the room where there is none.\n' +
            'Settings given as flags change the room; the others stay as they are.',
        )
        .argument('[message...]', 'what is wanted; "-" or nothing reads it from standard input')
        .option('-d, --dir <directory>', 'the work directory', '.')
        .option(
          '-r, --room <name>',
          "the room's name, where the directory has several or a new one is wanted",
        ),
    ),
    'tribune run --dir . "Make the failing test pass."',
    'tribune run --dir . --owner anthropic:claude-sonnet-4-5 --budget-usd 2 - < request.md',
    'tribune run --dir . --owner claude-code --reviewer codex --permissions ask "Tidy the README."',
    'tribune run --dir . --mode single --owner "command:./agent.sh" "Tidy the README."',
  ).action((words: string[], options: FollowingOptions & RoomFlags & { dir: string; room?: string }) => {
    const { dir, room = null, ...flags } = options;
    take({ command: 'run', words, directory: dir, room, flags, ...followingOf(options) });
  });

  following(
    program
      .command('send')
      .summary('say something in a room')
      .description('Sends a message to a room. An open task takes it up; else it starts one.')
      .argument('<room>', 'name of the room')
      .argument('[message...]', 'what to say; "-" or nothing reads it from standard input'),
    'tribune send shop "Keep the old cart format readable."',
    'git log -1 --format=%B | tribune send shop --no-wait',
  ).action((room: string, words: string[], options: FollowingOptions) => {
    take({ command: 'send', room, words, ...followingOf(options) });
  });
}

function addRooms(program: Command, take: Take): void {
  const rooms = common(
    program.command('rooms').summary('list the rooms, or set one up').description('Lists the rooms.'),
    'tribune rooms',
    'tribune rooms set shop --reviewer anthropic:claude-opus-4-5 --criterion "npm test passes"',
  )
    .enablePositionalOptions()
    .action((options: CommonOptions) => {
      take({ command: 'rooms', ...commonOf(options) });
    });

  common(
    roomOptions(
      rooms
        .command('set')
        .summary('make or change a room')
        .description(
          'Makes a room, or changes the settings that are given. Lists replace the lists that were there.',
        )
        .argument('<name>', 'name of the room')
        .option('-d, --dir <directory>', 'the work directory')
        .option('-f, --file <file>', 'a JSON file with settings, as `tribune rooms --json` shows them'),
    ),
    'tribune rooms set shop --dir ~/code/shop --setup "npm ci" --dependency node_modules',
    'tribune rooms set shop --owner claude-code --fallback-owner codex --seal-owner',
    'tribune rooms set shop --file shop.json',
  ).action((room: string, options: CommonOptions & RoomFlags & { dir?: string; file?: string }) => {
    const { dir = null, file = null, ...flags } = options;
    take({ command: 'set-room', room, directory: dir, file, flags, ...commonOf(options) });
  });
}

function addTasks(program: Command, take: Take): void {
  common(
    program
      .command('tasks')
      .summary('list tasks')
      .description('Lists tasks, the newest first.')
      .option('-r, --room <name>', 'only those of this room')
      .option('-o, --open', 'only those that have not ended')
      .option('-n, --limit <number>', 'how many at most', wholeNumber(1, 1000), 50),
    'tribune tasks --open',
    'tribune tasks --room shop --json',
  ).action((options: CommonOptions & { room?: string; open?: true; limit: number }) => {
    const { room = null, open = false, limit } = options;
    take({ command: 'tasks', room, open, limit, ...commonOf(options) });
  });

  common(
    taskArgument(
      program
        .command('show')
        .summary('show a task')
        .description("Shows a task's criteria, findings, turns and changes.")
        .option('--diff', 'only the changes, as a unified diff'),
    ),
    'tribune show 7K3M9QZD',
    'tribune show 7K3M9QZD --diff | less -R',
  ).action((task: string, options: CommonOptions & { diff?: true }) => {
    take({ command: 'show', task, diff: options.diff ?? false, ...commonOf(options) });
  });

  common(
    taskArgument(
      program
        .command('apply')
        .summary("bring a task's approved work into the checkout")
        .description(
          "Writes what was approved into the room's directory, uncommitted. Where that does not fit with what\n" +
            'is there, nothing is written.',
        ),
    ),
    'tribune apply 7K3M9QZD',
  ).action((task: string, options: CommonOptions) => {
    take({ command: 'apply', task, ...commonOf(options) });
  });

  common(
    taskArgument(
      program
        .command('stop')
        .summary('stop a task for good')
        .description('Ends a task and the processes of its turn. Its work is kept as a snapshot.'),
    ),
    'tribune stop 7K3M9QZD',
  ).action((task: string, options: CommonOptions) => {
    take({ command: 'stop', task, ...commonOf(options) });
  });
}

function addPersons(program: Command, take: Take): void {
  common(
    program
      .command('escalations')
      .summary('list the questions that wait for a person')
      .description('Lists the questions that wait for a person, each with the commands that answer it.'),
    'tribune escalations',
  ).action((options: CommonOptions) => {
    take({ command: 'escalations', ...commonOf(options) });
  });

  following(
    program
      .command('answer')
      .summary('answer a question, and follow the task on')
      .description('Answers an escalation with one of the answers that it lists, and follows the task on.')
      .argument('<escalation>', 'id of the escalation, or the end of it')
      .argument('<answer>', `one of ${answers.join(', ')}`, readAnswer)
      .argument(
        '[words...]',
        'what to say with it, but for accept, allow and stop; "-" reads it from standard input',
      )
      .option('-c, --criterion <text>', 'add a criterion to the task (repeatable)', collect)
      .option('--drop <id>', 'strike a criterion, such as C2 (repeatable)', collect),
    'tribune answer QX2M5T0A go_on',
    'tribune answer QX2M5T0A refuse "Not on the production database."',
    'tribune answer QX2M5T0A send_back "Use the old format." --criterion "Old carts still load" --drop C2',
  ).action(
    (
      escalation: string,
      answer: Answer,
      words: string[],
      options: FollowingOptions & { criterion?: string[]; drop?: string[] },
    ) => {
      const { criterion: criteria = [], drop: dropped = [] } = options;
      take({ command: 'answer', escalation, answer, words, criteria, dropped, ...followingOf(options) });
    },
  );
}

function addHost(program: Command, take: Take): void {
  common(
    program
      .command('start')
      .summary('run the host until Ctrl-C')
      .description('Runs the host in the foreground. It takes up what an earlier one has left.'),
    'tribune start',
    'TRIBUNE_HOME=/srv/tribune tribune start',
  ).action((options: CommonOptions) => {
    take({ command: 'start', ...commonOf(options) });
  });

  common(
    program
      .command('events')
      .summary('print what happened')
      .description('Prints the log of everything that happened.')
      .option('-f, --follow', 'go on as it happens; from now on, unless --after is given')
      .option('--after <number>', 'only events after this one', wholeNumber(0, Number.MAX_SAFE_INTEGER))
      .option('-r, --room <name>', 'only those of this room')
      .option('-t, --task <task>', 'only those of this task'),
    'tribune events --follow',
    'tribune events --task 7K3M9QZD --json',
  ).action((options: CommonOptions & { follow?: true; after?: number; room?: string; task?: string }) => {
    const { follow = false, after = null, room = null, task = null } = options;
    take({ command: 'events', follow, after, room, task, ...commonOf(options) });
  });

  program
    .command('verdict')
    .summary('read the verdict in a text')
    .description('Reads how a turn ended from its text on standard input, and prints it as one line of JSON.')
    .addOption(new Option('--role <role>', 'whose turn it was').choices(roles).makeOptionMandatory())
    .addHelpText('after', examples('echo "DONE. All tests pass." | tribune verdict --role reviewer'))
    .action((options: { role: Role }) => {
      take({ command: 'verdict', role: options.role, json: true });
    });

  common(
    program
      .command('doctor')
      .summary('check that everything that is needed is there')
      .description('Checks what Tribune needs, and says what to do about what is missing.'),
    'tribune doctor',
  ).action((options: CommonOptions) => {
    take({ command: 'doctor', ...commonOf(options) });
  });
}

function addImage(program: Command, take: Take): void {
  const image = program
    .command('image')
    .summary('build the image that reviewers are sealed in')
    .description('The image of the containers in which coding agents review.');

  common(
    image
      .command('build')
      .summary('build it')
      .description(
        'Builds the image with the container engine that DOCKER_HOST names, or that is found here: Docker or\n' +
          'Podman. It needs no host. docs/containers.md tells of proxies, mirrors and machines without a registry.',
      )
      .option('--base <image>', 'the image to build on, a Debian (default: debian:bookworm-slim)')
      .option('--mirror <url>', 'a Debian archive to fetch packages from')
      .option('--registry <url>', 'an npm registry to fetch the coding agents from')
      .option('--ca <file>', 'certificates to trust meanwhile, in PEM, such as those of your proxy'),
    'tribune image build',
    'tribune image build --ca /etc/ssl/certs/company.pem --mirror https://mirror.example/debian',
  ).action((options: CommonOptions & { base?: string; mirror?: string; registry?: string; ca?: string }) => {
    const { base = null, mirror = null, registry = null, ca = null } = options;
    take({ command: 'build-image', base, mirror, registry, ca, ...commonOf(options) });
  });
}

function taskArgument(command: Command): Command {
  return command.argument('<task>', 'id of the task, or the end of it');
}

function common(command: Command, ...lines: string[]): Command {
  return command.option('--json', 'print JSON').addHelpText('after', examples(...lines));
}

function following(command: Command, ...lines: string[]): Command {
  command.option('--no-wait', 'return once a running host has taken it');
  command.option('-v, --verbose', 'tell everything, and all that agents say');
  return common(command, ...lines);
}

function roomOptions(command: Command): Command {
  const engine = 'ENGINE[:MODEL] or "command:PROGRAM ARGUMENTS"';
  return command
    .addOption(new Option('--mode <mode>', 'with review or without').choices(roomModes))
    .option('--owner <engine>', `who does the work: ${engine}`, engineFlag)
    .option('--reviewer <engine>', 'who reviews it', engineFlag)
    .option('--arbiter <engine>', 'who settles deadlocks; "none" for a person', engineOrNone)
    .option(
      '--fallback-owner <engine>',
      'who works while the owner is used up; "none" for the host\'s',
      engineOrNone,
    )
    .option('--fallback-reviewer <engine>', 'who reviews while the reviewer is used up', engineOrNone)
    .option('--fallback-arbiter <engine>', 'who settles while the arbiter is used up', engineOrNone)
    .addOption(
      new Option('--permissions <mode>', "what the owner's coding agent may do by itself").choices(
        permissionModes,
      ),
    )
    .option('--seal-owner', 'the owner too works in a container')
    .option('--no-seal-owner', 'the owner works on this host')
    .option('--setup <command>', 'run once in each new worktree')
    .option('--no-setup', 'run nothing in new worktrees')
    .option('--dependency <folder>', 'ignored folder that the work needs (repeatable)', collect)
    .option('--criterion <text>', 'must hold for every task of the room (repeatable)', collect)
    .option('--budget-usd <number>', 'US dollars before a person is asked', positiveNumber)
    .option(
      '--budget-tokens <number>',
      'tokens before a person is asked',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--budget-minutes <number>', 'minutes of work before a person is asked', positiveNumber)
    .option(
      '--budget-rounds <number>',
      'rounds before a person is asked',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--prompts <folder>', "files that stand in for the roles' own instructions")
    .option('--memory <file>', 'a file that every agent of the room is given to read');
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`;
}

function commonOf(options: CommonOptions): { json: boolean } {
  return { json: options.json ?? false };
}

function followingOf(options: FollowingOptions): { json: boolean; wait: boolean; verbose: boolean } {
  return { ...commonOf(options), wait: options.wait, verbose: options.verbose ?? false };
}

function collect(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

function engineFlag(text: string): EngineFlag {
  const flag = readEngineFlag(text);
  if (!flag.ok) throw new InvalidArgumentError([flag.failure.message, flag.failure.next].join(' '));
  return flag.value;
}

function engineOrNone(text: string): EngineFlag | 'none' {
  return text === 'none' ? text : engineFlag(text);
}

/** `send-back` is taken for `send_back`. */
function readAnswer(text: string): Answer {
  const answer = answers.find((known) => known === text.replaceAll('-', '_').toLowerCase());
  if (answer === undefined) throw new InvalidArgumentError(`Answer one of ${answers.join(', ')}.`);
  return answer;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('It has to be a number above 0.');
  }
  return value;
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const bound = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
    throw new InvalidArgumentError(`It has to be a whole number, ${bound}.`);
  };
}
