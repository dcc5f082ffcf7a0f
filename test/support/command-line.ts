import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import type { z } from 'zod';
import { eventViewSchema } from '../../src/shared/contract/views.ts';
import type { EventView } from '../../src/shared/contract/views.ts';
import { startMessagesServer } from '../fakes/messages-server/server.ts';
import type { MessagesServer } from '../fakes/messages-server/server.ts';
import type { ScriptedServerOptions } from '../fakes/scripted-server.ts';
import { scriptRoles } from './scripted-roles.ts';
import type { RoleCall, RoleScripts, ScriptedRoles } from './scripted-roles.ts';
import { temporaryFolder } from './temporary-folder.ts';

const program = resolve(import.meta.dirname, '../../out/main/tribune.js');

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly problems: string;
}

export interface CommandLineOptions {
  readonly roles?: RoleScripts | ((call: RoleCall) => RoleScripts);
  readonly server?: ScriptedServerOptions;
  /** Variables that differ; undefined takes one away. */
  readonly environment?: NodeJS.ProcessEnv;
  /** A program that starts `tribune`, with its arguments. */
  readonly through?: readonly string[];
}

/** What one command has of its own. */
interface Over {
  readonly input?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

/** The built `tribune` command with a data directory of its own and scripted models behind a real Messages API. */
export class CommandLine {
  public readonly home: string;
  public readonly server: MessagesServer;
  public readonly roles: ScriptedRoles;
  readonly #options: CommandLineOptions;

  private constructor(
    home: string,
    server: MessagesServer,
    roles: ScriptedRoles,
    options: CommandLineOptions,
  ) {
    this.home = home;
    this.server = server;
    this.roles = roles;
    this.#options = options;
  }

  public static async prepare(options: CommandLineOptions = {}): Promise<CommandLine> {
    if (!existsSync(program)) throw new Error(`${program} is not built: run \`npm run build\`.`);
    const home = join(temporaryFolder('home'), 'data');
    mkdirSync(home);
    const roles = scriptRoles(options.roles ?? {});
    const server = await startMessagesServer(roles.script, options.server);
    onTestFinished(async () => {
      await server.close();
      expect(roles.problems).toEqual([]);
      expect(server.refusals.filter(({ status }) => status === 400)).toEqual([]);
    });
    return new CommandLine(home, server, roles, options);
  }

  /** Runs a command to its end. */
  public async run(args: readonly string[], over: Over = {}): Promise<Ended> {
    const running = this.start(args, over);
    return running.ended;
  }

  /** Runs a command that must end with this code, and gives the one JSON document that it prints. */
  public async json<T>(schema: z.ZodType<T>, args: readonly string[], code = 0): Promise<T> {
    const ended = await this.run([...args, '--json']);
    expect(ended, ended.problems).toMatchObject({ code });
    return schema.parse(JSON.parse(ended.out));
  }

  /** Starts a command; one that still runs when the test ends is killed. */
  public start(args: readonly string[], over: Over = {}): RunningCommand {
    const [first, ...rest] = [...(this.#options.through ?? []), process.execPath, program, ...args];
    if (first === undefined) throw new Error('There is nothing to start.');
    const child = spawn(first, rest, {
      cwd: temporaryFolder('elsewhere'),
      env: {
        PATH: process.env['PATH'],
        HOME: join(this.home, '..'),
        GIT_CONFIG_NOSYSTEM: '1',
        TRIBUNE_HOME: this.home,
        ANTHROPIC_API_KEY: 'scripted',
        ANTHROPIC_BASE_URL: this.server.url,
        ...this.#options.environment,
        ...over.environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end(over.input ?? '');
    return new RunningCommand(child);
  }

  /** A host that runs until the test ends, or until it is interrupted. */
  public async startHost(): Promise<RunningCommand> {
    const host = this.start(['start', '--json']);
    await host.line((text) => text.includes('socketPath'));
    return host;
  }

  /** Every event of the running host, from the beginning. */
  public follow(): EventStream {
    return new EventStream(this.start(['events', '--follow', '--after', '0', '--json']));
  }
}

/** A command that is under way. */
export class RunningCommand {
  public readonly ended: Promise<Ended>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: string[] = [];
  readonly #listeners = new Set<() => void>();

  public constructor(child: ChildProcessByStdio<Writable, Readable, Readable>) {
    this.#child = child;
    let problems = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      problems += text;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#lines.push(line);
      for (const look of this.#listeners) look();
    });
    this.ended = once(child, 'close').then(([code]) => {
      for (const look of this.#listeners) look();
      return { code: typeof code === 'number' ? code : null, out: this.#lines.join('\n'), problems };
    });
    onTestFinished(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await this.ended;
    });
  }

  public get lines(): readonly string[] {
    return this.#lines;
  }

  /** The first line on standard output that is wanted, whether it has come or is to come. */
  public line(wanted: (text: string) => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.#lines.find(wanted);
        if (found !== undefined) {
          this.#listeners.delete(look);
          resolve(found);
        } else if (this.#child.exitCode !== null) {
          this.#listeners.delete(look);
          void this.ended.then(({ out, problems }) => {
            reject(new Error(`The command ended without the line that was waited for:\n${out}\n${problems}`));
          });
        }
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** Ctrl-C. */
  public interrupt(): Promise<Ended> {
    this.#child.kill('SIGINT');
    return this.ended;
  }
}

/** The log of a running host, as it is written, and what its terminals show meanwhile. */
export class EventStream {
  readonly #command: RunningCommand;

  public constructor(command: RunningCommand) {
    this.#command = command;
  }

  /** The first event that is wanted, whether it has come or is to come. */
  public async until(wanted: (event: EventView) => boolean): Promise<EventView> {
    const line = await this.#command.line((text) => wanted(eventViewSchema.parse(JSON.parse(text))));
    return eventViewSchema.parse(JSON.parse(line));
  }
}
