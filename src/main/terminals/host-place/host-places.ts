import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { err, messageOf, ok, type Result } from '../../../shared/kernel/result.ts';
import { systemErrorCode } from '../../../shared/kernel/system-error.ts';
import type {
  CliFailure,
  CliLaunch,
  CliPlace,
  HostPlaces,
  OpenCliPlace,
  RunningCli,
} from '../../ports/coding-cli.ts';
import { GRACE_MS } from '../process-tree.ts';
import { RunningTrees } from '../running-trees.ts';
import { runnerOnThisNode, type RunnerCommand } from './runner-file.ts';
import { startTurn, stoppedBefore } from './start-turn.ts';

/** What places on the host depend on. */
export interface HostPlacesOptions {
  readonly clock: Clock;
  /** What programs' environments are made from; see environment.ts for what they do not get. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where programs are looked for, by the person's login shell; see login-path.ts. */
  path(): Promise<string>;
  /** How long processes may take to end by themselves, in milliseconds. */
  readonly graceMs: number;
  /** Names this install in the marks of its terminals; see leftovers.ts. */
  readonly label: string;
  /** A word that is in no output by chance. */
  newToken(): string;
  /** How a turn runner is started; asked at each start. */
  readonly runner: () => RunnerCommand;
  readonly running: RunningTrees;
}

/** Places on the host: a turn's program runs as the person, in a pseudo-terminal that can be watched. */
export function createHostPlaces(
  given: Partial<HostPlacesOptions> & Pick<HostPlacesOptions, 'clock' | 'path'>,
): HostPlaces {
  const options: HostPlacesOptions = {
    environment: process.env,
    graceMs: GRACE_MS,
    label: 'unnamed',
    newToken: randomUUID,
    runner: runnerOnThisNode,
    running: new RunningTrees(),
    ...given,
  };
  return {
    async open(directory) {
      try {
        // `mkdtemp` makes it for this user alone (0700).
        return ok(new HostPlace(directory, await mkdtemp(join(tmpdir(), 'tribune-turn-')), options));
      } catch (cause) {
        return err(cannotKeep(cause));
      }
    },
  };
}

class HostPlace implements OpenCliPlace {
  public readonly cli: CliPlace;
  readonly #folder: string;
  readonly #options: HostPlacesOptions;
  readonly #running = new Set<RunningCli>();

  public constructor(directory: string, folder: string, options: HostPlacesOptions) {
    this.#folder = folder;
    this.#options = options;
    this.cli = {
      sealed: false,
      directory,
      home: null,
      commands: null,
      addressOf: (gate) => gate.localUrl,
      layDown: (name, content) => this.#layDown(name, content),
      start: (launch, signal) => this.#start(launch, signal),
    };
  }

  public async close(): Promise<void> {
    await Promise.all(
      [...this.#running].map((running) => {
        running.stop();
        return running.ended;
      }),
    );
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #layDown(name: string, content: string): Promise<Result<string, CliFailure>> {
    if (basename(name) !== name) throw new Error(`"${name}" is no name for a file of a turn.`);
    const path = join(this.#folder, name);
    try {
      // Anew each time: a file that is there keeps its own mode.
      await rm(path, { force: true });
      await writeFile(path, content, { mode: 0o600, flag: 'wx' });
      return ok(path);
    } catch (cause) {
      return err(cannotKeep(cause));
    }
  }

  async #start(launch: CliLaunch, signal: AbortSignal): Promise<Result<RunningCli, CliFailure>> {
    if (signal.aborted) return err(stoppedBefore(launch.program));
    const { directory } = this.cli;
    const started = await startTurn({ launch, directory, folder: this.#folder }, signal, this.#options);
    if (!started.ok) return started;
    const running = started.value;
    this.#running.add(running);
    void running.ended.then(() => this.#running.delete(running));
    return started;
  }
}

function cannotKeep(cause: unknown): CliFailure {
  return {
    tag: systemErrorCode(cause) === 'ENOSPC' ? 'no_space' : 'start_failed',
    message: `The files of a turn cannot be kept in ${tmpdir()}: ${messageOf(cause)}.`,
    next: 'Make room there, or name another folder with TMPDIR.',
  };
}
