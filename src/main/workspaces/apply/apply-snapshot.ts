import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { err, ok, type Result } from '../../../shared/kernel/result.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { Applied, WorkspaceFailure } from '../../ports/workspace.ts';
import { textOfPath, type BytePath } from '../git/byte-path.ts';
import { failureOfFileSystem } from '../git/git-failure.ts';
import type { SnapshotStore, TreeEntry } from '../git/snapshot-store.ts';
import type { RoomPaths } from '../room-paths.ts';
import {
  forgetIntent,
  intentOf,
  readIntent,
  writeIntent,
  type ApplyIntent,
  type IntendedChange,
} from './apply-intent.ts';
import {
  deleteEntry,
  entryOnDisk,
  NotBelowFolder,
  prepareEntry,
  putInPlace,
  isBlocked,
  removeEmptyParents,
  removePrepared,
} from './entry-on-disk.ts';
import { mergedMode, planApply, sameEntry, type Change, type Merge } from './plan-apply.ts';

/** The person's directory, and where it is remembered what is being done to it. */
export interface ApplyGround {
  readonly store: SnapshotStore;
  readonly root: string;
  readonly paths: RoomPaths;
}

/** Someone changed a file between the look at it and the change to it. */
class ChangedMeanwhile extends Error {
  public readonly path: BytePath;
  public constructor(path: BytePath) {
    super('The file was changed meanwhile.');
    this.path = path;
  }
}

/**
 * Brings what changed from `base` to `approved` into the person's directory, which holds `now`. All of it or
 * nothing: it is written down first, and undone when a part of it fails, at once or after a crash.
 */
export async function applySnapshot(
  ground: ApplyGround,
  snapshots: { readonly base: SnapshotId; readonly approved: SnapshotId; readonly now: SnapshotId },
): Promise<Result<Applied, WorkspaceFailure>> {
  const { store, root, paths } = ground;
  const [base, approved, now] = await Promise.all([
    store.entries(snapshots.base),
    store.entries(snapshots.approved),
    store.entries(snapshots.now),
  ]);
  if (!base.ok) return base;
  if (!approved.ok) return approved;
  if (!now.ok) return now;
  const plan = planApply(base.value, approved.value, now.value);
  const merged = await mergeAll(ground, plan.merges);
  if (!merged.ok) return merged;
  const planned = [...plan.changes, ...merged.value.changes];
  const { due, inTheWay } = await compareWithDisk(root, planned);
  const conflicts = [...plan.conflicts, ...merged.value.conflicts, ...inTheWay];
  if (conflicts.length > 0) return err(conflict(conflicts));
  if (due.length === 0) return ok({ paths: [] });

  const intent = intentOf(due);
  await writeIntent(paths.applyIntent, intent);
  try {
    for (const change of intent.changes) await carryOut(ground, change);
  } catch (cause) {
    const undone = await undo(ground, intent);
    if (!undone.ok) return undone;
    if (cause instanceof ChangedMeanwhile || cause instanceof NotBelowFolder)
      return err(conflict([cause.path]));
    if (cause instanceof Error && 'code' in cause) {
      return err(failureOfFileSystem('writing the approved content; nothing of it was kept', cause));
    }
    throw cause;
  }
  await forgetIntent(paths.applyIntent);
  return ok({ paths: intent.changes.map(({ path: changed }) => textOfPath(changed)).sort() });
}

/**
 * Takes back what a host that was killed had written of an apply. A file that someone has changed since is left as
 * they made it.
 */
export async function undoUnfinishedApply(ground: ApplyGround): Promise<Result<void, WorkspaceFailure>> {
  const intent = await readIntent(ground.paths.applyIntent);
  return intent === null ? ok(undefined) : undo(ground, intent);
}

async function undo(ground: ApplyGround, intent: ApplyIntent): Promise<Result<void, WorkspaceFailure>> {
  const { root, paths } = ground;
  try {
    for (const change of intent.changes.toReversed()) {
      await removePrepared(root, change.temporary);
      const found = await entryOnDisk(root, change.path, likeOf(change));
      if (found === 'other' || !sameEntry(found, change.after) || sameEntry(change.before, change.after))
        continue;
      if (change.before === null) await deleteEntry(root, change.path);
      else await put(ground, change, change.before);
    }
    for (const change of intent.changes)
      if (change.before === null) await removeEmptyParents(root, change.path);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
    return err(
      failureOfFileSystem('taking back a half-written apply; it is tried again with the next call', cause),
    );
  }
  await forgetIntent(paths.applyIntent);
  return ok(undefined);
}

async function carryOut(ground: ApplyGround, change: IntendedChange): Promise<void> {
  if (change.after !== null) {
    await put(ground, change, change.after, true);
    return;
  }
  await requireUnchanged(ground.root, change);
  await deleteEntry(ground.root, change.path);
}

async function put(
  ground: ApplyGround,
  change: IntendedChange,
  entry: TreeEntry,
  checked = false,
): Promise<void> {
  const content = await ground.store.blob(entry.object);
  if (!content.ok) throw Object.assign(new Error(content.failure.message), { code: content.failure.tag });
  await prepareEntry(ground.root, change.path, change.temporary, entry, content.value);
  if (checked) await requireUnchanged(ground.root, change);
  await putInPlace(ground.root, change.temporary, change.path);
}

async function requireUnchanged(root: string, change: IntendedChange): Promise<void> {
  const found = await entryOnDisk(root, change.path, likeOf(change));
  const emptyFolder = found === 'other' && change.before === null;
  if (!emptyFolder && (found === 'other' || !sameEntry(found, change.before)))
    throw new ChangedMeanwhile(change.path);
}

/** Leaves out what is there already; names what is in the way, such as an ignored file of the person's. */
async function compareWithDisk(
  root: string,
  changes: readonly Change[],
): Promise<{ readonly due: readonly Change[]; readonly inTheWay: readonly BytePath[] }> {
  const due: Change[] = [];
  const inTheWay: BytePath[] = [];
  const deleted = new Set(changes.filter(({ after }) => after === null).map(({ path: gone }) => gone));
  for (const change of changes) {
    if (await isBlocked(root, change.path, deleted)) {
      inTheWay.push(change.path);
      continue;
    }
    const found = await entryOnDisk(root, change.path, likeOf(change));
    if (found !== 'other' && sameEntry(found, change.after)) continue;
    const folderThatGoes =
      found === 'other' && [...deleted].some((gone) => gone.startsWith(`${change.path}/`));
    if (folderThatGoes || (found !== 'other' && sameEntry(found, change.before))) due.push(change);
    else inTheWay.push(change.path);
  }
  return { due, inTheWay };
}

async function mergeAll(
  ground: ApplyGround,
  merges: readonly Merge[],
): Promise<
  Result<{ readonly changes: readonly Change[]; readonly conflicts: readonly BytePath[] }, WorkspaceFailure>
> {
  const changes: Change[] = [];
  const conflicts: BytePath[] = [];
  for (const merge of merges) {
    const object = await mergeContent(ground, merge);
    if (!object.ok) return object;
    if (object.value === null) conflicts.push(merge.path);
    else {
      const after = { mode: mergedMode(merge), object: object.value };
      if (!sameEntry(after, merge.now)) changes.push({ path: merge.path, before: merge.now, after });
    }
  }
  return ok({ changes, conflicts });
}

/** The merged content, stored; null where it conflicts or is not text. */
async function mergeContent(
  { store, paths }: ApplyGround,
  merge: Merge,
): Promise<Result<string | null, WorkspaceFailure>> {
  await mkdir(paths.scratch, { recursive: true });
  const sides = { now: merge.now, base: merge.base, approved: merge.approved };
  for (const [name, entry] of Object.entries(sides)) {
    const content = await store.blob(entry.object);
    if (!content.ok) return content;
    await writeFile(path.join(paths.scratch, name), content.value);
  }
  const files = Object.keys(sides).map((name) => path.join(paths.scratch, name));
  // The exit code is the number of conflicts; from 128 on it is an error, 255 for files that are not text.
  const answer = await store.run(['merge-file', '-p', '--quiet', ...files], { exits: exitCodes });
  await rm(paths.scratch, { recursive: true, force: true });
  if (!answer.ok) return answer;
  if (answer.value.exit !== 0) return ok(null);
  const stored = await store.run(['hash-object', '-w', '--stdin'], { input: answer.value.output });
  return stored.ok ? ok(stored.value.output.toString('latin1').trim()) : stored;
}

const exitCodes = Array.from({ length: 256 }, (_, code) => code);

function likeOf(change: Change): TreeEntry {
  const entry = change.before ?? change.after;
  if (entry === null) throw new Error('A change from nothing to nothing.');
  return entry;
}

function conflict(paths: readonly BytePath[]): WorkspaceFailure {
  const names = [...new Set(paths)].map(textOfPath).sort();
  return {
    tag: 'conflict',
    message: `The approved content conflicts with the directory in ${names.length} path(s): ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}. Nothing was changed.`,
    next: 'Commit or undo your own changes to these files, then apply again.',
    paths: names,
  };
}
