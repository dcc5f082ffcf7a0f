import type { Clock } from '../../shared/kernel/clock.ts';
import { systemErrorCode } from '../../shared/kernel/system-error.ts';
import { pause } from './pause.ts';
import { readProcessTable, startOf, type ProcessRow } from './process-table.ts';

/** How long a process may take to end by itself after SIGTERM. */
export const GRACE_MS = 2_000;

/**
 * We look whether processes that are not our children have ended, for the system tells nobody: soon at first,
 * since most end at once, then ever less often.
 */
const FIRST_LOOK_MS = 2;
const LOOK_AT_LEAST_EVERY_MS = 50;

/** How often SIGKILL is sent to what a tree has newly become; a tree that still grows then cannot be ended. */
const KILL_ROUNDS = 20;

/** What a terminal started: the first process, and the mark in the environment of all that came of it. */
export interface Tree {
  readonly root: number;
  readonly mark: string;
}

/** Says of a process, by itself, whether it is to end; its descendants end with it. */
export type Belongs = (row: ProcessRow) => boolean;

/**
 * Ends a whole process tree: SIGTERM, a grace, then SIGKILL. Found are the root's session, its descendants, and
 * whatever carries the mark, so that a child that made a session of its own, or whose parent has died, ends too.
 */
export async function endTree(tree: Tree, clock: Clock, graceMs: number): Promise<void> {
  // All that it has started is younger than the root.
  await endProcesses(belongsTo(tree), await startOf(tree.root), clock, graceMs);
}

export function belongsTo({ root, mark }: Tree): Belongs {
  return (row) => row.pid === root || row.session === root || row.mark === mark;
}

/**
 * Ends processes and all that they have started; gives how many there were. Marks are looked for in processes that
 * started at `marksSince` or later; 0 means all.
 */
export async function endProcesses(
  belongs: Belongs,
  marksSince: number,
  clock: Clock,
  graceMs: number,
): Promise<number> {
  // Timers of the clock keep no process alive, but ours must not end before the tree has.
  const hold = setInterval(() => undefined, 60_000);
  try {
    return await endMembers(belongs, () => readProcessTable(marksSince), clock, graceMs);
  } finally {
    clearInterval(hold);
  }
}

async function endMembers(
  belongs: Belongs,
  look: () => Promise<readonly ProcessRow[]>,
  clock: Clock,
  graceMs: number,
): Promise<number> {
  let members = membersOf(belongs, await look());
  const asked = new Set<string>();
  const deadline = clock.now() + graceMs;
  let lookMs = FIRST_LOOK_MS;
  while (members.length > 0 && clock.now() < deadline) {
    // A process that was only just being started when we first looked is asked too.
    signalAll(
      members.filter((row) => !asked.has(identity(row))),
      'SIGTERM',
    );
    for (const row of members) asked.add(identity(row));
    await pause(clock, Math.min(lookMs, deadline - clock.now()));
    lookMs = Math.min(2 * lookMs, LOOK_AT_LEAST_EVERY_MS);
    members = stillThere(members, belongs, await look());
  }
  for (let round = 0; members.length > 0 && round < KILL_ROUNDS; round += 1) {
    signalAll(members, 'SIGKILL');
    await pause(clock, LOOK_AT_LEAST_EVERY_MS);
    members = stillThere(members, belongs, await look());
  }
  return asked.size;
}

/** Pure: which of these processes belong, by themselves or as descendants. */
export function membersOf(belongs: Belongs, table: readonly ProcessRow[]): readonly ProcessRow[] {
  const members = new Map<number, ProcessRow>();
  for (const row of table) {
    if (belongs(row)) members.set(row.pid, row);
  }
  let before = -1;
  while (members.size !== before) {
    before = members.size;
    for (const row of table) {
      if (members.has(row.parent)) members.set(row.pid, row);
    }
  }
  return [...members.values()];
}

/** Members known before that still run, and those that came since. */
function stillThere(
  known: readonly ProcessRow[],
  belongs: Belongs,
  table: readonly ProcessRow[],
): readonly ProcessRow[] {
  const knownOnes = new Set(known.map(identity));
  const now = new Map(membersOf(belongs, table).map((row) => [row.pid, row]));
  for (const row of table) {
    if (knownOnes.has(identity(row))) now.set(row.pid, row);
  }
  return [...now.values()];
}

function identity(row: ProcessRow): string {
  return `${row.pid} since ${row.started}`;
}

function signalAll(rows: readonly ProcessRow[], signal: NodeJS.Signals): void {
  for (const { pid } of rows) {
    try {
      process.kill(pid, signal);
    } catch (cause) {
      // Ended since it was listed, or never ours to end; the next look tells.
      const code = systemErrorCode(cause);
      if (code !== 'ESRCH' && code !== 'EPERM') throw cause;
    }
  }
}
