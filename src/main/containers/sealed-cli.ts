import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { CliEnd, CliFailure, CliLaunch, CliPlace, RunningCli } from '../ports/coding-cli.ts';
import { inside } from './inside.ts';
import { programScript } from './marks.ts';
import type { MarkedExec } from './marked-exec.ts';
import type { RoomContainer } from './room-container.ts';
import type { Commands } from './sealed-commands.ts';
import { containerFailure, stopped } from './seal-failures.ts';

/** From here on, a shell's exit code names the signal that ended the program. */
const SIGNAL_CODES = 128;

/** Most that is kept of why a program did not start, in characters. */
const SAID_CHARACTERS = 300;

/** The agent's home for one session: others' cannot be guessed from their names, and no name leads out of it. */
function homeOf(session: string): string {
  return `${inside.home}/${createHash('sha256').update(session).digest('hex').slice(0, 16)}`;
}

/** What a place in a container stands on. */
export interface SealedCliParts {
  readonly container: RoomContainer;
  readonly directory: string;
  readonly session: string;
  /** Null for an agent whose program runs its own. */
  readonly commands: Commands | null;
  readonly newToken: () => string;
}

/** The place of an agent's program in a container, for one turn. */
export class SealedCli implements CliPlace {
  public readonly sealed = true;
  public readonly directory: string;
  public readonly home: string;
  public readonly commands: Commands | null;
  readonly #container: RoomContainer;
  readonly #newToken: () => string;
  readonly #running = new Set<Promise<unknown>>();

  public constructor({ container, directory, session, commands, newToken }: SealedCliParts) {
    this.#container = container;
    this.directory = directory;
    this.home = homeOf(session);
    this.commands = commands;
    this.#newToken = newToken;
  }

  /** The gate's socket is mounted; inside, what forwards to it listens. */
  public addressOf(): string {
    return `http://127.0.0.1:${this.#container.resident.port}`;
  }

  public async layDown(name: string, content: string): Promise<Result<string, CliFailure>> {
    const path = posix.join(this.#laidDown, posix.join('/', name));
    const laid = await this.#container.resident.layDown(path, content);
    return laid.ok ? ok(path) : laid;
  }

  public async start(launch: CliLaunch, signal: AbortSignal): Promise<Result<RunningCli, CliFailure>> {
    if (signal.aborted) return err(stopped());
    const ready = await this.prepare();
    if (!ready.ok) return ready;
    let exec: MarkedExec;
    let hasBegun = false;
    let said = '';
    try {
      exec = await this.#container.start({
        user: this.#container.plan.agent,
        input: true,
        script: programScript,
        program: [launch.program, ...launch.args],
        token: this.#newToken(),
        environment: { HOME: this.home, TMPDIR: this.#temporary, LANG: 'C.UTF-8', ...launch.environment },
        directory: this.directory,
        onOutput: (piece) => {
          // The engine itself says here why nothing could be started.
          if (!hasBegun) said = (said + piece.toString('utf8')).slice(0, SAID_CHARACTERS);
          launch.onOutput(piece);
        },
        onProblem: (piece) => {
          launch.onProblem(piece);
        },
      });
    } catch (thrown) {
      return err(containerFailure(thrown, `The program "${launch.program}" could not be started`));
    }
    const began = await exec.began;
    hasBegun = began === 'begun';
    if (began === 'missing') return err(programMissing(launch.program));
    if (began === 'gone') {
      return err((await this.#container.whatWasLost()) ?? notStarted(launch.program, said));
    }
    return ok(this.#follow(exec, launch, signal));
  }

  /** The folders that it has for itself. */
  public async prepare(): Promise<Result<unknown, CliFailure>> {
    const { resident } = this.#container;
    const [folder] = await Promise.all([
      resident.makeFolder(this.#temporary),
      resident.makeFolder(this.home),
    ]);
    return folder;
  }

  /** Ends what still runs, and removes what was laid down. */
  public async clear(): Promise<void> {
    await this.#container.endAgent();
    await Promise.all(this.#running);
    const { resident } = this.#container;
    // Where they cannot be asked for, the container is gone with all that was in it.
    await Promise.all([
      resident.remove(this.#laidDown),
      resident.remove(this.#temporary),
      resident.removeOwnIn('/tmp'),
      resident.removeOwnIn('/dev/shm'),
    ]);
  }

  get #laidDown(): string {
    return `${this.home}/.tribune-turn`;
  }

  get #temporary(): string {
    return `${this.home}/.tribune-tmp`;
  }

  #follow(exec: MarkedExec, launch: CliLaunch, signal: AbortSignal): RunningCli {
    let wasStopped = false;
    const stop = (): void => {
      wasStopped = true;
      void this.#container.endAgent();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const ended = exec.exitCode.then(async (code) => {
      signal.removeEventListener('abort', stop);
      const early = code === null ? await this.#container.whatWasLost() : null;
      await this.#container.endAgent();
      exec.drop();
      if (wasStopped) return { exitCode: null, by: 'stopped' as const, problem: null };
      return early === null ? this.#endOf(code) : lostEnd(early);
    });
    this.#running.add(ended);
    void ended.then(() => this.#running.delete(ended));
    return {
      write: (text) => {
        exec.write(text);
      },
      endInput: () => {
        exec.endInput();
      },
      show: (text) => {
        launch.onScreen(text);
      },
      ended,
      stop,
    };
  }

  /** Looked at again where it is not clear: a container that is being removed still runs when its processes are gone. */
  async #endOf(code: number | null): Promise<CliEnd> {
    if (code !== null && code <= SIGNAL_CODES) return { exitCode: code, by: 'itself', problem: null };
    if (code !== null) {
      return { exitCode: null, by: 'itself', problem: `It was ended by signal ${code - SIGNAL_CODES}.` };
    }
    const gone = await this.#container.whatWasLost();
    if (gone !== null) return lostEnd(gone);
    return { exitCode: null, by: 'itself', problem: 'It was killed, with what had started it.' };
  }
}

function lostEnd({ message }: CliFailure): CliEnd {
  return { exitCode: null, by: 'lost', problem: message };
}

function notStarted(program: string, said: string): CliFailure {
  const why = said.trim();
  return {
    tag: 'start_failed',
    message: `"${program}" did not start in the container: ${why === '' ? 'the engine does not say why' : why}.`,
    next: 'It is tried again; build the image anew with `tribune image build` if it stays so.',
  };
}

function programMissing(program: string): CliFailure {
  return {
    tag: 'program_missing',
    message: `The image has no program "${program}".`,
    next: 'Build it anew with `tribune image build`.',
  };
}
