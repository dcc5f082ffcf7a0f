import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Digits of the hash in the tag: enough to tell any two versions apart. */
const TAG_DIGITS = 12;

/** What the image is built from, in `resources/reviewer`. */
export const imageFiles = ['Dockerfile', 'package.json', 'package-lock.json'] as const;

/**
 * The name and tag of the image that this version of Tribune asks for, from what it is built from. An
 * image by this name that is there was built from exactly that.
 */
export function reviewerImage(folder: string): string {
  const hash = createHash('sha256');
  for (const name of imageFiles) {
    const content = readFileSync(join(folder, name));
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return `tribune-reviewer:${hash.digest('hex').slice(0, TAG_DIGITS)}`;
}
