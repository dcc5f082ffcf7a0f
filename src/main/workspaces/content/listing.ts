import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import { below, bytePathsIn } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import { failureOfGit } from '../git/git-failure.ts';
import type { SnapshotStore, WorkTree } from '../git/snapshot-store.ts';

/** Stands for a nested repository in an index while its files are listed. */
const PLACEHOLDER_NAME = '.tribune-placeholder';

export interface OtherFiles {
  /** Files on disk that are not in the index and that the rules do not ignore. */
  readonly paths: readonly BytePath[];
  /** Entries that this put into the index, to be taken out again. */
  readonly placeholders: readonly BytePath[];
}

/**
 * Lists what is on disk beside the index. Git does not look into nested repositories unless the index has
 * something below them; so each that it names gets a placeholder, and the listing runs again.
 */
export async function listOtherFiles(
  store: SnapshotStore,
  workTree: WorkTree,
  rules: readonly string[],
): Promise<Result<OtherFiles, WorkspaceFailure>> {
  const placeholders: BytePath[] = [];
  for (;;) {
    const listing = await store.run(['ls-files', '-z', '--others', ...rules], { workTree });
    if (!listing.ok) return listing;
    // Git only warns of a folder that it can't read; left out in silence, it would be missing from the snapshot.
    if (/could not open directory .+: Permission denied/.test(listing.value.errors)) {
      return err(failureOfGit(['ls-files'], 0, listing.value.errors));
    }
    const paths = bytePathsIn(listing.value.output);
    const nested = paths.filter((path) => path.endsWith('/'));
    if (nested.length === 0) return ok({ paths, placeholders });
    const added = nested.map((folder) => below(folder, PLACEHOLDER_NAME));
    const put = await putPlaceholders(store, workTree, added);
    if (!put.ok) return put;
    placeholders.push(...added);
  }
}

async function putPlaceholders(
  store: SnapshotStore,
  workTree: WorkTree,
  paths: readonly BytePath[],
): Promise<Result<void, WorkspaceFailure>> {
  const blob = await store.run(['hash-object', '-w', '--stdin'], { input: '' });
  if (!blob.ok) return blob;
  const object = blob.value.output.toString('latin1').trim();
  const lines = paths.map((path) => `100644 ${object} 0\t${path}\0`).join('');
  const put = await store.run(['update-index', '--replace', '-z', '--index-info'], {
    workTree,
    input: Buffer.from(lines, 'latin1'),
  });
  return put.ok ? ok(undefined) : put;
}
