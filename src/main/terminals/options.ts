import type { Clock } from '../../shared/kernel/clock.ts';
import type { TerminalFailure } from '../ports/terminal.ts';
import type { RunningTrees } from './running-trees.ts';

export interface TerminalsOptions {
  readonly clock: Clock;
  /** What programs' environments are made from; see environment.ts for what they do not get. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The shell that reads command lines, by POSIX rules. */
  readonly shell: string;
  /** How long processes may take to end by themselves, in milliseconds. */
  readonly graceMs: number;
  /** Names this install in the marks of its terminals, so that another one's are told apart; see leftovers.ts. */
  readonly label: string;
  /** A word that is in no output by chance. */
  newToken(): string;
  /** Told of what runs; see agent-processes.ts. */
  readonly running: RunningTrees;
}

export function stopped(what: string): TerminalFailure {
  return { tag: 'stopped', message: `"${what}" was stopped before it had ended.` };
}
