import { assertNever } from '../../shared/kernel/result.ts';
import type { Failure, Result } from '../../shared/kernel/result.ts';
import type { EngineFailure } from './engine.ts';
import type { OpenGate } from './turn-gate.ts';

/** Where the program of a coding agent runs for one turn: on the host as the person, or sealed in a container. */
export interface CliPlace {
  readonly sealed: boolean;
  /** The work's directory, as the program sees it. */
  readonly directory: string;
  /**
   * A directory that only the program's user can read, for what it keeps over the turns of a task, as the program
   * sees it. Null on the host, where the program keeps its things where it does for the person.
   */
  readonly home: string | null;
  /** Where commands of a sealed agent run, apart from its program; null where the program runs its own. */
  readonly commands: SealedCommands | null;
  /** The gate's address, as the program reaches it: `http://…` without a slash at its end. */
  addressOf(gate: OpenGate): string;
  /** Lays down a file for this turn that only the program's user can read; gives its path as the program sees it. */
  layDown(name: string, content: string): Promise<Result<string, CliFailure>>;
  start(launch: CliLaunch, signal: AbortSignal): Promise<Result<RunningCli, CliFailure>>;
}

/** A program to be started in a place, and who is told what it prints. */
export interface CliLaunch {
  /** On the host a name on the PATH or a path; sealed, a name in the image. */
  readonly program: string;
  readonly args: readonly string[];
  /** Added to what every program of an agent gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Its standard output and its error output, as they come. */
  onOutput(chunk: Uint8Array): void;
  onProblem(chunk: Uint8Array): void;
  /** What a person who watches its terminal sees, in order. */
  onScreen(data: string): void;
}

/** A program that runs on pipes. Whoever started it waits for `ended`. */
export interface RunningCli {
  /** Writes to its standard input; what it no longer reads is dropped. */
  write(text: string): void;
  endInput(): void;
  /** Puts text on its terminal for the person who watches. */
  show(text: string): void;
  /** Resolves when it has ended, and everything that it started. Never rejects. */
  readonly ended: Promise<CliEnd>;
  /** Ends it and everything that it started; `ended` resolves afterwards. */
  stop(): void;
}

/** How a program ended. */
export interface CliEnd {
  /** Null where a signal ended it, or where that is not known. */
  readonly exitCode: number | null;
  /** `lost`: what it ran in went away, such as a container that was removed; `problem` says what. */
  readonly by: 'itself' | 'stopped' | 'lost';
  readonly problem: string | null;
}

/** Runs commands of a sealed agent as another user, on a copy of the work in memory. */
export interface SealedCommands {
  run(command: SealedCommand, signal: AbortSignal): Promise<Result<SealedResult, CliFailure>>;
}

export interface SealedCommand {
  /** A shell command line. */
  readonly command: string;
  readonly timeoutMs: number;
  /** Most bytes of output that are kept; the middle is left out beyond that. */
  readonly maxBytes: number;
  onData(data: string): void;
}

/** What came of it. */
export interface SealedResult {
  readonly exitCode: number | null;
  readonly output: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

/** Why a place, or a program in it, cannot be had. */
export interface CliFailure extends Failure {
  /** `seal_broken`: what must not be possible in the container was possible there. */
  readonly tag:
    | 'program_missing'
    | 'start_failed'
    | 'no_engine'
    | 'image_missing'
    | 'seal_broken'
    | 'no_space'
    | 'lost'
    | 'stopped';
}

/** Places on the host, where an owner's program runs as the person. */
export interface HostPlaces {
  /** A place for one turn in this directory. */
  open(directory: string): Promise<Result<OpenCliPlace, CliFailure>>;
}

/** A place for one turn, until it is closed. */
export interface OpenCliPlace {
  readonly cli: CliPlace;
  /** Ends what still runs in it, and removes what was laid down. */
  close(): Promise<void>;
}

/**
 * What the failure of a program's place means for its turn, whether the room met it or the engine. A container that is
 * missing or does not hold, and a program that is not there, are matters for a person; what else went wrong may pass.
 */
export function turnFailureOf(failure: CliFailure): EngineFailure {
  switch (failure.tag) {
    case 'no_engine':
    case 'image_missing':
    case 'seal_broken':
      return { ...failure, tag: 'unsealed', forGood: true };
    case 'program_missing':
      return { ...failure, tag: 'program_missing', forGood: true };
    case 'stopped':
      return { ...failure, tag: 'stopped', forGood: false };
    case 'start_failed':
    case 'no_space':
    case 'lost':
      return { ...failure, tag: 'program_failed', forGood: false };
    default:
      return assertNever(failure.tag);
  }
}
