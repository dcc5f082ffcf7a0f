import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { ifThere, systemErrorCode } from '../../../shared/kernel/system-error.ts';
import { locationOf } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';

/**
 * What is at a path of the content, without following a link there. Null where nothing is, or can be: the name is too
 * long, or a folder on the way is a link to itself.
 */
export async function factsOnDisk(root: string, path: BytePath): Promise<Stats | null> {
  try {
    return await ifThere(lstat(locationOf(root, path)));
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code === 'ENAMETOOLONG' || code === 'ELOOP') return null;
    throw thrown;
  }
}
