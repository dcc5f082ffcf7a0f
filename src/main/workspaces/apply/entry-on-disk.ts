import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readlink, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import { ifThere, systemErrorCode } from '../../../shared/kernel/system-error.ts';
import { locationOf, parentsOf } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import type { TreeEntry } from '../git/snapshot-store.ts';

/** A path below what is no folder of the directory's own: a file, or a link that may lead anywhere. */
export class NotBelowFolder extends Error {
  public readonly path: BytePath;
  public constructor(path: BytePath) {
    super('A parent of the path is not a folder.');
    this.path = path;
  }
}

/**
 * What is at a path now, as git would record it; read and hashed anew. Null if nothing is, 'other' for what is
 * neither file nor link: a folder, a pipe. `like` tells the kind of hash by the length of its object.
 */
export async function entryOnDisk(
  root: string,
  path: BytePath,
  like: TreeEntry,
): Promise<TreeEntry | null | 'other'> {
  if (!(await hasRealParents(root, path))) return null;
  const location = locationOf(root, path);
  const facts = await ifThere(lstat(location));
  if (facts === null) return null;
  if (facts.isSymbolicLink()) {
    const target = await readlink(location, { encoding: 'buffer' });
    return { mode: '120000', object: blobHash(like, target.length).update(target).digest('hex') };
  }
  if (!facts.isFile()) return 'other';
  const file = await open(location, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    // In pieces, for a file may be larger than memory.
    const { size } = await file.stat();
    const hash = blobHash(like, size);
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return { mode: (facts.mode & 0o100) === 0 ? '100644' : '100755', object: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

/** The hash that names a git blob of this size; the content is to follow. */
function blobHash(like: TreeEntry, bytes: number): Hash {
  return createHash(like.object.length === 64 ? 'sha256' : 'sha1').update(`blob ${bytes}\0`);
}

/** Writes a file or link beside its place, ready to be renamed into it; makes the folders that are missing. */
export async function prepareEntry(
  root: string,
  path: BytePath,
  temporary: BytePath,
  entry: TreeEntry,
  content: Buffer,
): Promise<void> {
  if (await isBlocked(root, path)) throw new NotBelowFolder(path);
  for (const parent of parentsOf(path)) await mkdir(locationOf(root, parent)).catch(fineIfThere);
  if (!(await hasRealParents(root, path))) throw new NotBelowFolder(path);
  const location = locationOf(root, temporary);
  await removePrepared(root, temporary);
  if (entry.mode === '120000') {
    await symlink(content, location);
    return;
  }
  const file = await open(location, 'wx', entry.mode === '100755' ? 0o777 : 0o666);
  try {
    await file.writeFile(content);
    const old = await ifThere(lstat(locationOf(root, path)));
    if (old?.isFile() === true) await file.chmod(modeLike(old.mode & 0o7777, entry.mode === '100755'));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The permissions of the file that is replaced, with its executable bits as they are to be. */
function modeLike(old: number, executable: boolean): number {
  return executable ? old | ((old & 0o444) >> 2) : old & ~0o111;
}

export async function putInPlace(root: string, temporary: BytePath, path: BytePath): Promise<void> {
  if (!(await hasRealParents(root, path))) throw new NotBelowFolder(path);
  const location = locationOf(root, path);
  // Where a folder was whose files have all been deleted.
  if ((await ifThere(lstat(location)))?.isDirectory() === true) await rmdir(location);
  await rename(locationOf(root, temporary), location);
}

/** Deletes a file or link, and the folders that are empty then. */
export async function deleteEntry(root: string, path: BytePath): Promise<void> {
  if (!(await hasRealParents(root, path))) throw new NotBelowFolder(path);
  await unlink(locationOf(root, path));
  await removeEmptyParents(root, path);
}

export async function removeEmptyParents(root: string, path: BytePath): Promise<void> {
  for (const parent of parentsOf(path).reverse()) {
    try {
      await rmdir(locationOf(root, parent));
    } catch {
      // Not empty, gone already, or not ours to remove: a folder is no content, and those above it stay too.
      return;
    }
  }
}

/** Whether something that is no folder is where a folder of the path would be: a file, or a link that may lead anywhere. */
export async function isBlocked(
  root: string,
  path: BytePath,
  exceptBy: ReadonlySet<BytePath> = new Set(),
): Promise<boolean> {
  for (const parent of parentsOf(path)) {
    const facts = await ifThere(lstat(locationOf(root, parent)));
    if (facts === null) return false;
    if (!facts.isDirectory()) return !exceptBy.has(parent);
  }
  return false;
}

/** Removes a file that was being prepared; a folder of that name is none of ours. */
export async function removePrepared(root: string, temporary: BytePath): Promise<void> {
  const facts = await ifThere(lstat(locationOf(root, temporary)));
  if (facts !== null && !facts.isDirectory()) await unlink(locationOf(root, temporary));
}

async function hasRealParents(root: string, path: BytePath): Promise<boolean> {
  for (const parent of parentsOf(path)) {
    const facts = await ifThere(lstat(locationOf(root, parent)));
    if (facts?.isDirectory() !== true) return false;
  }
  return true;
}

function fineIfThere(cause: unknown): void {
  if (systemErrorCode(cause) !== 'EEXIST') throw cause;
}
