import type { Clock } from '../../shared/kernel/clock.ts';
import { labelPart, MARK_VARIABLE } from './environment.ts';
import { endProcesses, GRACE_MS } from './process-tree.ts';

export interface LeftoversOptions {
  readonly clock: Clock;
  /** The label that this install gives its terminals. */
  readonly label: string;
  /** This process's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly graceMs?: number;
}

/**
 * Ends what the terminals of an earlier life of this install have left running, because the host was killed before
 * it could: a program that still works on a task would otherwise meet its own next try. To be called at boot,
 * before any terminal is started. Gives how many processes there were; 0 on systems that do not show the
 * environment of processes (all but Linux).
 */
export async function endLeftovers({
  clock,
  label,
  environment,
  graceMs = GRACE_MS,
}: LeftoversOptions): Promise<number> {
  const ours = labelPart(label);
  if (process.platform !== 'linux') return 0;
  // Started from within one of these terminals, we would end ourselves.
  if (environment[MARK_VARIABLE]?.startsWith(ours) === true) return 0;
  return endProcesses((row) => row.mark?.startsWith(ours) === true, 0, clock, graceMs);
}
