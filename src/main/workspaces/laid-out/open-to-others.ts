import { chmod, lstat } from 'node:fs/promises';
import { locationOf, parentsOf } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import type { TreeEntry } from '../git/snapshot-store.ts';

const FOLDER_MODE = 0o755;
const FILE_MODES: Readonly<Record<string, number>> = { '100644': 0o644, '100755': 0o755 };

/** What everyone needs to look into a folder. */
const OPEN_TO_ALL = 0o055;

/** Changes of mode that are under way at once. */
const AT_ONCE = 256;

/**
 * Lets other users read a tree, where the person's umask has kept them out: in a container, those who read it are
 * others. On the host it stays closed by the folders above it.
 */
export async function openToOthers(
  root: string,
  entries: Iterable<readonly [BytePath, TreeEntry]>,
): Promise<void> {
  const { mode } = await lstat(root);
  if ((mode & OPEN_TO_ALL) === OPEN_TO_ALL) return;
  const modes = new Map<BytePath, number>([['' as BytePath, FOLDER_MODE]]);
  for (const [path, entry] of entries) {
    for (const parent of parentsOf(path)) modes.set(parent, FOLDER_MODE);
    const fileMode = FILE_MODES[entry.mode];
    // A link has no mode of its own.
    if (fileMode !== undefined) modes.set(path, fileMode);
  }
  const all = [...modes];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    await Promise.all(
      all.slice(at, at + AT_ONCE).map(([path, wanted]) => chmod(locationOf(root, path), wanted)),
    );
  }
}
