import { lstat } from 'node:fs/promises';
import { ifThere } from '../../../shared/kernel/system-error.ts';
import { locationOf, parentsOf } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';

/** The folders of a tree, the outermost as '', each with a mark that is another one once a name in it came or went. */
export type FolderMarks = readonly (readonly [folder: string, mark: string])[];

/** The marks of all folders that hold these paths, as they are on disk; one that is not there has the mark ''. */
export function marksAbove(root: string, paths: Iterable<BytePath>): Promise<FolderMarks> {
  const folders = new Set<BytePath>(['' as BytePath]);
  for (const path of paths) for (const parent of parentsOf(path)) folders.add(parent);
  return Promise.all([...folders].map(async (folder) => [folder, await markOf(root, folder)] as const));
}

/** Whether each folder still has its mark. */
export async function haveMarks(root: string, marks: FolderMarks): Promise<boolean> {
  const now = await Promise.all(marks.map(([folder]) => markOf(root, folder as BytePath)));
  return marks.every(([, mark], nth) => mark === now[nth]);
}

async function markOf(root: string, folder: BytePath): Promise<string> {
  const found = await ifThere(lstat(locationOf(root, folder), { bigint: true }));
  return found === null ? '' : [found.ino, found.mode, found.mtimeNs, found.ctimeNs].join(' ');
}
