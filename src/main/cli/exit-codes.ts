import type { Ending } from '../../shared/vocabulary/words.ts';

/** What a command's exit code says. docs/cli.md has the same list. */
export const exitCodes = {
  /** It was done; a followed task is done. */
  done: 0,
  /** It was not done: the message on standard error says why and what to do. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The task waits for a person. */
  waitsForPerson: 3,
  /** The task was stopped, or another took its place. */
  stopped: 4,
  /** No host is running where one has to be, or none could be opened. */
  noHost: 5,
  /** Interrupted with Ctrl-C (128 + SIGINT), as shells have it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export function exitCodeOfEnding(ending: Ending | null): ExitCode {
  return ending === 'stopped' || ending === 'superseded' ? exitCodes.stopped : exitCodes.done;
}
