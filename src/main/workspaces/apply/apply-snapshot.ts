import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { systemErrorCode } from '../../../shared/kernel/system-error.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { Applied, WorkspaceFailure } from '../../ports/workspace.ts';
import { textOfPath } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import { failureOfFileSystem } from '../git/git-failure.ts';
import type { SnapshotStore, TreeEntry } from '../git/snapshot-store.ts';
import { writeJsonFile } from '../json-file.ts';
import type { RoomPaths } from '../room-paths.ts';
import { forgetIntent, intentOf, readIntent } from './apply-intent.ts';
import type { ApplyIntent, IntendedChange } from './apply-intent.ts';
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
import { mergeFiles } from './merge-files.ts';
import { planApply, sameEntry } from './plan-apply.ts';
import type { Change } from './plan-apply.ts';

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

/** The store could not give what is to be written. */
class StoreFailed extends Error {
  public readonly failure: WorkspaceFailure;
  public constructor(failure: WorkspaceFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Changed files whose contents are held in memory at once. */
const CHANGES_AT_ONCE = 64;

/** Conflicting paths that a message names; it says how many there are beside. */
const MAX_NAMED_PATHS = 50;

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
  const merged = await mergeFiles(store, paths.scratch, plan.merges);
  if (!merged.ok) return merged;
  const planned = [...plan.changes, ...merged.value.changes];
  const { due, inTheWay } = await compareWithDisk(root, planned);
  const conflicts = [...plan.conflicts, ...merged.value.conflicts, ...inTheWay];
  if (conflicts.length > 0) return err(conflict(conflicts));
  if (due.length === 0) return ok({ paths: [] });

  const intent = intentOf(due);
  await writeJsonFile(paths.applyIntent, intent);
  try {
    await carryOut(ground, intent.changes);
  } catch (cause) {
    const undone = await undo(ground, intent);
    if (!undone.ok) return undone;
    if (cause instanceof ChangedMeanwhile || cause instanceof NotBelowFolder)
      return err(conflict([cause.path]));
    if (cause instanceof StoreFailed) return err(cause.failure);
    if (systemErrorCode(cause) !== null) {
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
  if (!intent.ok) return intent;
  return intent.value === null ? ok(undefined) : undo(ground, intent.value);
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
      else await put(root, change, change.before, await contentsOf(ground.store, [change.before.object]));
    }
    for (const change of intent.changes)
      if (change.before === null) await removeEmptyParents(root, change.path);
  } catch (cause) {
    if (systemErrorCode(cause) === null) throw cause;
    return err(
      failureOfFileSystem('taking back a half-written apply; it is tried again with the next call', cause),
    );
  }
  await forgetIntent(paths.applyIntent);
  return ok(undefined);
}

async function carryOut(ground: ApplyGround, changes: readonly IntendedChange[]): Promise<void> {
  for (let first = 0; first < changes.length; first += CHANGES_AT_ONCE) {
    const some = changes.slice(first, first + CHANGES_AT_ONCE);
    const contents = await contentsOf(
      ground.store,
      some.flatMap(({ after }) => (after === null ? [] : [after.object])),
    );
    for (const change of some) {
      if (change.after === null) {
        await requireUnchanged(ground.root, change);
        await deleteEntry(ground.root, change.path);
      } else {
        await put(ground.root, change, change.after, contents, () => requireUnchanged(ground.root, change));
      }
    }
  }
}

/** The bytes of these objects, by their names. */
async function contentsOf(
  store: SnapshotStore,
  objects: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const blobs = await store.blobs(objects);
  if (!blobs.ok) throw new StoreFailed(blobs.failure);
  return new Map(objects.map((object, at) => [object, blobs.value[at] ?? Buffer.alloc(0)]));
}

async function put(
  root: string,
  change: IntendedChange,
  entry: TreeEntry,
  contents: ReadonlyMap<string, Buffer>,
  lastLook: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const content = contents.get(entry.object);
  if (content === undefined) throw new Error(`The content of ${entry.object} was not read.`);
  await prepareEntry(root, change.path, change.temporary, entry, content);
  await lastLook();
  await putInPlace(root, change.temporary, change.path);
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

function likeOf(change: Change): TreeEntry {
  const entry = change.before ?? change.after;
  if (entry === null) throw new Error('A change from nothing to nothing.');
  return entry;
}

function conflict(paths: readonly BytePath[]): WorkspaceFailure {
  const names = [...new Set(paths)].map(textOfPath).sort();
  const more = names.length - MAX_NAMED_PATHS;
  return {
    tag: 'conflict',
    message: `The approved content conflicts with the directory in ${names.length} path(s): ${names.slice(0, MAX_NAMED_PATHS).join(', ')}${more > 0 ? ` and ${more} more` : ''}. Nothing was changed.`,
    next: 'Commit or undo your own changes to these files, then apply again.',
    paths: names,
  };
}
