import { rename } from 'node:fs/promises';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import { listOfPaths, textOfPath } from '../git/byte-path.ts';
import type { SnapshotStore } from '../git/snapshot-store.ts';
import { marksAbove } from './folder-marks.ts';
import { chooseLeftOut } from './left-out.ts';
import { openToOthers } from './open-to-others.ts';
import type { LayingRecord, Spot } from './spot.ts';

/** Paths that a failure names. */
const MAX_NAMED = 5;

/** Writes the files beside, proves them, and puts the folder in its place whole. */
export async function lay(
  store: SnapshotStore,
  snapshot: SnapshotId,
  spot: Spot,
): Promise<Result<LayingRecord, WorkspaceFailure>> {
  const entries = await store.entries(snapshot);
  if (!entries.ok) return entries;
  const leftOut = await chooseLeftOut(store, entries.value);
  if (!leftOut.ok) return leftOut;
  const { secrets, links } = leftOut.value;
  const without = new Set([...secrets, ...links]);
  const laid = [...entries.value].filter(([path]) => !without.has(path));

  const written = await writeFiles(store, snapshot, spot, listOfPaths(without));
  if (!written.ok) return written;
  await openToOthers(spot.unfinished, laid);
  const proved = await prove(store, spot);
  if (!proved.ok) return proved;
  await rename(spot.unfinished, spot.folder);
  return ok({
    leftOut: secrets.map(textOfPath).sort(),
    linksLeftOut: links.map(textOfPath).sort(),
    marks: await marksAbove(
      spot.folder,
      laid.map(([path]) => path),
    ),
  });
}

async function writeFiles(
  store: SnapshotStore,
  snapshot: SnapshotId,
  { unfinished, indexFile }: Spot,
  without: Buffer,
): Promise<Result<void, WorkspaceFailure>> {
  const call = { workTree: { directory: unfinished, indexFile }, borrowing: true };
  const object = await store.require(snapshot);
  if (!object.ok) return object;
  const read = await store.run(['read-tree', object.value], call);
  if (!read.ok) return read;
  if (without.length > 0) {
    const args = ['update-index', '-z', '--force-remove', '--stdin'];
    const removed = await store.run(args, { ...call, input: without });
    if (!removed.ok) return removed;
  }
  const written = await store.run(['checkout-index', '--all'], call);
  return written.ok ? ok(undefined) : written;
}

/**
 * Reads every file back and holds it against its name in the snapshot: the index knows nothing of the files yet. From
 * then on it knows them, and sees a change without reading them again.
 */
async function prove(
  store: SnapshotStore,
  { unfinished, indexFile }: Spot,
): Promise<Result<void, WorkspaceFailure>> {
  const workTree = { directory: unfinished, indexFile };
  const call = { workTree, borrowing: true };
  const refreshed = await store.run(['update-index', '--refresh'], { ...call, exits: [0, 1] });
  if (!refreshed.ok) return refreshed;
  if (refreshed.value.exit === 0) return ok(undefined);
  const different = await store.run(['diff-files', '--name-only', '--no-ext-diff'], call);
  if (!different.ok) return different;
  const names = different.value.output
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '');
  const named = names.slice(0, MAX_NAMED).join(', ');
  return err({
    tag: 'git_failed',
    message: `Files of the snapshot are not on disk what they are in it (${names.length}): ${named}.`,
    next: 'Some disks cannot tell names apart that differ in case alone: rename those. Else see whether the disk is sound.',
  });
}
