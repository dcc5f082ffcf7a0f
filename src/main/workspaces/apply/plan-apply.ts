import { parentsOf } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import type { TreeEntry } from '../git/snapshot-store.ts';

export type Entries = ReadonlyMap<BytePath, TreeEntry>;

/** What becomes of one path in the person's directory; null stands for no file. */
export interface Change {
  readonly path: BytePath;
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
}

/** A file that both sides changed, to be merged line by line. */
export interface Merge {
  readonly path: BytePath;
  readonly base: TreeEntry;
  readonly approved: TreeEntry;
  readonly now: TreeEntry;
}

export interface ApplyPlan {
  readonly changes: readonly Change[];
  readonly merges: readonly Merge[];
  readonly conflicts: readonly BytePath[];
}

/**
 * Three-way, path by path: what the task left as it was stays as the person has it; what the person left as it was
 * becomes what was approved; what both made the same is there already; files that both changed are to be merged,
 * and everything else conflicts.
 */
export function planApply(base: Entries, approved: Entries, now: Entries): ApplyPlan {
  const changes: Change[] = [];
  const merges: Merge[] = [];
  const conflicts: BytePath[] = [];
  for (const path of new Set([...base.keys(), ...approved.keys()])) {
    const old = base.get(path) ?? null;
    const wanted = approved.get(path) ?? null;
    const present = now.get(path) ?? null;
    if (sameEntry(old, wanted) || sameEntry(present, wanted)) continue;
    if (sameEntry(present, old)) changes.push({ path, before: present, after: wanted });
    else if (isFile(old) && isFile(wanted) && isFile(present))
      merges.push({ path, base: old, approved: wanted, now: present });
    else conflicts.push(path);
  }
  conflicts.push(...pathsInTheWay(changes, now));
  return { changes, merges, conflicts };
}

/** Files that would have to be where the person has a folder with files, or below what is a file there. */
function pathsInTheWay(changes: readonly Change[], now: Entries): BytePath[] {
  const after = new Set(now.keys());
  for (const change of changes) {
    if (change.after === null) after.delete(change.path);
    else after.add(change.path);
  }
  const folders = new Set<BytePath>();
  for (const path of after) for (const parent of parentsOf(path)) folders.add(parent);
  return changes
    .filter(
      ({ path, after: wanted }) =>
        wanted !== null && (folders.has(path) || parentsOf(path).some((one) => after.has(one))),
    )
    .map(({ path }) => path);
}

/** The mode of a merged file: whoever changed it wins. */
export function mergedMode({ base, approved, now }: Merge): string {
  return now.mode === base.mode ? approved.mode : now.mode;
}

export function sameEntry(one: TreeEntry | null, other: TreeEntry | null): boolean {
  return one?.mode === other?.mode && one?.object === other?.object;
}

function isFile(entry: TreeEntry | null): entry is TreeEntry {
  return entry !== null && entry.mode.startsWith('100');
}
