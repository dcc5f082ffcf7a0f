import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The product's `resources` folder: beside the sources, beside what was built from them, or in the package. */
export function findResources(from: string = import.meta.url): string {
  for (let folder = dirname(fileURLToPath(from)); ; folder = dirname(folder)) {
    const candidate = join(folder, 'resources');
    if (existsSync(join(candidate, 'prompts', 'owner.md'))) return candidate;
    if (dirname(folder) === folder) {
      throw new Error(
        `The resources folder is missing from this installation (looked from ${from} upwards).`,
      );
    }
  }
}
