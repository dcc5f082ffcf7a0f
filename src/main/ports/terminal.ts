import type { Failure, Result } from '../../shared/kernel/result.ts';

/** Runs programs in pseudo-terminals and on pipes; ends their whole process tree. */
export interface Terminals {
  /** Runs a shell command line in a pseudo-terminal to its end. */
  run(command: TerminalCommand, signal: AbortSignal): Promise<Result<TerminalResult, TerminalFailure>>;
  /** Runs a program on pipes: text in, text out. */
  pipe(program: PipedProgram, signal: AbortSignal): Promise<Result<PipedResult, TerminalFailure>>;
}

export interface TerminalCommand {
  readonly command: string;
  readonly directory: string;
  readonly timeoutMs: number;
  /** Most bytes of output that are kept; the middle is left out beyond that. */
  readonly maxBytes: number;
  /** Output as it comes, in order. */
  onData(data: string): void;
}

export interface TerminalResult {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  /** What it printed, without control sequences. */
  readonly output: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

export interface PipedProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  onData(data: string): void;
}

export interface PipedResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

export interface TerminalFailure extends Failure {
  readonly tag: 'program_missing' | 'directory_missing' | 'spawn_failed' | 'stopped';
}
