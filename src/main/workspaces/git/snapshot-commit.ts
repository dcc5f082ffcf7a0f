import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { ifThere } from '../../../shared/kernel/system-error.ts';

/** Who and when every snapshot says it is from, so that equal content has an equal id. */
const AUTHOR = 'Tribune <snapshot@tribune.invalid> 0 +0000';

/** Hexadecimal digits of an object's id in a repository that uses SHA-256; else it uses SHA-1. */
const SHA256_DIGITS = 64;

/** Like git's own objects, never written again. */
const OBJECT_MODE = 0o444;

/**
 * Makes the commit of a tree in a git directory, without parent, and gives its id. It is written as a loose object
 * (gitrepository-layout): starting git for it would take as long as a tenth of a whole snapshot.
 */
export async function writeSnapshotCommit(gitDirectory: string, tree: string): Promise<string> {
  const text = `tree ${tree}\nauthor ${AUTHOR}\ncommitter ${AUTHOR}\n\nSnapshot\n`;
  const bytes = Buffer.from(`commit ${Buffer.byteLength(text)}\0${text}`);
  const algorithm = tree.length === SHA256_DIGITS ? 'sha256' : 'sha1';
  const object = createHash(algorithm).update(bytes).digest('hex');
  const file = join(gitDirectory, 'objects', object.slice(0, 2), object.slice(2));
  if ((await ifThere(stat(file))) !== null) return object;
  await mkdir(dirname(file), { recursive: true });
  const unfinished = join(gitDirectory, 'objects', `tmp_obj_${randomUUID()}`);
  await writeFile(unfinished, deflateSync(bytes), { mode: OBJECT_MODE });
  await rename(unfinished, file);
  return object;
}
