import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Digits of the hash in the tag: enough to tell any two versions apart. */
const TAG_DIGITS = 12;

/**
 * The name and tag of the image that this version of Tribune asks for, from what it is built from: the files in
 * `resources/reviewer`. An image by this name that is there was built from exactly these.
 */
export function reviewerImage(folder: string): string {
  const hash = createHash('sha256');
  for (const name of imageFiles(folder)) {
    const content = readFileSync(join(folder, name));
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return `tribune-reviewer:${hash.digest('hex').slice(0, TAG_DIGITS)}`;
}

/** What the image is built from, in an order that is the same everywhere. */
export function imageFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
}
