import type { Clock } from '../../shared/kernel/clock.ts';
import { KeptOutput } from '../../shared/kernel/kept-output.ts';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { CliFailure, SealedCommand, SealedCommands, SealedResult } from '../ports/coding-cli.ts';
import type { DependencyFolder } from '../ports/workspace.ts';
import { inside } from './inside.ts';
import { commandScript } from './marks.ts';
import type { MarkedExec } from './marked-exec.ts';
import type { RoomContainer } from './room-container.ts';
import { containerFailure, lost } from './seal-failures.ts';
import { testerUser } from './users.ts';

/** Beside the copy, so that nothing of it shows up in the work. */
const HOME = `${inside.work}/home`;
const TEMPORARY = `${inside.work}/tmp`;

/** Most of what copying says that is kept, in bytes. */
const COPY_SAYING_BYTES = 2_000;

/**
 * `$1` is the snapshot, then come pairs of a dependency folder and its path in the work. A snapshot may be
 * read-only; and where the image has this folder, what is mounted there has the mode that the image's own has.
 */
const copyScript = `
set -e
chmod 700 ${inside.work}
mkdir -p ${inside.copy} ${HOME} ${TEMPORARY}
cp -a "$1/." ${inside.copy}
chmod -R u+rwX ${inside.copy}
shift
while [ $# -gt 0 ]; do
  link=${inside.copy}/$2
  mkdir -p "$(dirname "$link")"
  [ -e "$link" ] || ln -s "$1" "$link"
  shift 2
done`;

/** What commands need of their turn. */
export interface CommandsParts {
  readonly container: RoomContainer;
  /** Where the snapshot is inside. */
  readonly snapshot: string;
  readonly dependencies: readonly DependencyFolder[];
  readonly clock: Clock;
  readonly newToken: () => string;
}

/** Runs commands as their own user in a copy of the snapshot, one after the other. The first of a turn makes the copy. */
export class Commands implements SealedCommands {
  readonly #parts: CommandsParts;
  #copy: Promise<Result<void, CliFailure>> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  public constructor(parts: CommandsParts) {
    this.#parts = parts;
  }

  /** Whether anything was run, so that there is something to clear. */
  public get used(): boolean {
    return this.#copy !== null;
  }

  public run(command: SealedCommand, signal: AbortSignal): Promise<Result<SealedResult, CliFailure>> {
    const running = this.#last.then(() => this.#run(command, signal));
    this.#last = running;
    return running;
  }

  async #run(command: SealedCommand, signal: AbortSignal): Promise<Result<SealedResult, CliFailure>> {
    if (signal.aborted) return err(stoppedCommand());
    this.#copy ??= this.#makeCopy();
    const copied = await this.#copy;
    if (!copied.ok) return copied;
    return this.#carryOut(command, signal);
  }

  async #makeCopy(): Promise<Result<void, CliFailure>> {
    const { snapshot, dependencies } = this.#parts;
    const links = dependencies.flatMap(({ path }, number) => [`${inside.dependencies}/${number}`, path]);
    const said = new KeptOutput(COPY_SAYING_BYTES);
    const keep = (piece: Buffer): void => {
      said.add(piece.toString('utf8'));
    };
    const program = ['/bin/sh', '-c', copyScript, 'copy', snapshot, ...links];
    const started = await this.#start(program, '/', keep, keep);
    if (!started.ok) return started;
    const exitCode = await started.value.exitCode;
    if (exitCode === 0) return ok(undefined);
    const gone = exitCode === null ? await this.#parts.container.whatWasLost() : null;
    return err(gone ?? copyFailure(said.text()));
  }

  async #carryOut(command: SealedCommand, signal: AbortSignal): Promise<Result<SealedResult, CliFailure>> {
    const { container, clock } = this.#parts;
    const output = new KeptOutput(command.maxBytes);
    const show = (): ((piece: Buffer) => void) => {
      const decoder = new TextDecoder();
      return (piece) => {
        const text = decoder.decode(piece, { stream: true });
        output.add(text);
        command.onData(text);
      };
    };
    const program = ['/bin/sh', '-c', command.command];
    const started = await this.#start(program, inside.copy, show(), show());
    if (!started.ok) return started;
    const running = started.value;
    const cut = Promise.withResolvers<'timed_out' | 'stopped'>();
    const stop = (): void => {
      cut.resolve('stopped');
    };
    const cancelTimeout = clock.after(command.timeoutMs, () => {
      cut.resolve('timed_out');
    });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const ending = await Promise.race([running.exitCode, cut.promise]);
    cancelTimeout();
    signal.removeEventListener('abort', stop);
    // Null: what would have told the end, and ended the rest, was itself killed by the command.
    if (typeof ending !== 'number') await container.endCommands();
    running.drop();
    if (ending === 'stopped') return err(stoppedCommand());
    const gone = ending === null ? await container.whatWasLost() : null;
    if (gone !== null) return err(gone);
    const exitCode = typeof ending === 'number' ? ending : null;
    return ok({
      exitCode,
      output: output.text(),
      truncated: output.truncated,
      timedOut: ending === 'timed_out',
    });
  }

  async #start(
    program: readonly string[],
    directory: string,
    onOutput: (piece: Buffer) => void,
    onProblem: (piece: Buffer) => void,
  ): Promise<Result<MarkedExec, CliFailure>> {
    const { container, newToken } = this.#parts;
    try {
      const exec = await container.start({
        user: testerUser(container.plan.agent),
        input: false,
        script: commandScript,
        program,
        token: newToken(),
        environment: { HOME, TMPDIR: TEMPORARY, LANG: 'C.UTF-8', CI: '1', PAGER: 'cat', GIT_PAGER: 'cat' },
        directory,
        onOutput,
        onProblem,
      });
      if ((await exec.began) !== 'gone') return ok(exec);
      return err((await container.whatWasLost()) ?? lost('a command could not be started in it'));
    } catch (thrown) {
      return err(containerFailure(thrown, 'A command could not be started in the container'));
    }
  }
}

function stoppedCommand(): CliFailure {
  return { tag: 'stopped', message: 'The command was stopped before it had ended.' };
}

function copyFailure(said: string): CliFailure {
  if (/No space left on device/.test(said)) {
    return {
      tag: 'no_space',
      message: 'The snapshot does not fit into the memory where commands may write.',
      next: 'Let the review go without running commands, or leave large files out of the work.',
    };
  }
  return { tag: 'start_failed', message: `The snapshot could not be copied: ${said.trim()}` };
}
