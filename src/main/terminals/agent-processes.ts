import { MARK_VARIABLE } from './environment.ts';
import { lineageOf } from './process-table.ts';
import type { RunningTrees } from './running-trees.ts';

/** A process, as it can be seen from outside. */
export interface SeenProcess {
  /** Its program, then its parent's, and so on. */
  readonly names: readonly string[];
  /** It runs in the process tree of an agent. */
  readonly ofAgent: boolean;
}

/**
 * Looks at a process and all its ancestors; null where it no longer runs. It is an agent's where one of them is in a
 * tree that runs now, or carries the mark of any terminal of Tribune's, of this install or another. A host that
 * itself runs in such a terminal shares its mark with the person it works for there: that one does not count.
 */
export async function seeProcess(
  pid: number,
  running: RunningTrees,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SeenProcess | null> {
  const ownMark = environment[MARK_VARIABLE] ?? null;
  const lineage = await lineageOf(pid);
  if (lineage.length === 0) return null;
  return {
    names: lineage.map(({ name }) => name),
    ofAgent: lineage.some((one) => running.has(one) || (one.mark !== null && one.mark !== ownMark)),
  };
}
