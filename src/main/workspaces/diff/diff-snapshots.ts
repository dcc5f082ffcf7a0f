import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { Diff, WorkspaceFailure } from '../../ports/workspace.ts';
import type { SnapshotStore } from '../git/snapshot-store.ts';
import { parseChanges, withHunks } from './parse-diff.ts';

/** Bytes of the patch that are read; the counts are whole all the same. */
const MAX_PATCH_BYTES = 8 * 1024 * 1024;

/** What differs between two snapshots. Attributes in the content have no say in what is shown. */
export async function diffSnapshots(
  store: SnapshotStore,
  from: SnapshotId,
  to: SnapshotId,
): Promise<Result<Diff, WorkspaceFailure>> {
  const [old, current] = await Promise.all([store.require(from), store.require(to)]);
  if (!old.ok) return old;
  if (!current.ok) return current;
  const command = [
    'diff-tree',
    '-r',
    '--find-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--full-index',
  ];
  const [list, patch] = await Promise.all([
    store.run([...command, '-z', '--raw', '--numstat', old.value, current.value], { borrowing: true }),
    store.run([...command, '--patch', old.value, current.value], {
      borrowing: true,
      maxBytes: MAX_PATCH_BYTES,
    }),
  ]);
  if (!list.ok) return list;
  if (!patch.ok) return patch;
  const files = withHunks(
    parseChanges(list.value.output),
    patch.value.output.toString('utf8'),
    patch.value.truncated,
  );
  return ok({
    files,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  });
}
