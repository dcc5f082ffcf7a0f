import { realpath, stat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { ifThere } from '../../shared/kernel/system-error.ts';
import type { DependencyFolder } from '../ports/workspace.ts';

/**
 * Those of the folders that are there as directories of the place itself. One that is reached through a link could
 * be anything of the person's by now, so it is not among them.
 */
export async function dependencyFolders(
  directory: string,
  paths: readonly string[],
): Promise<readonly DependencyFolder[]> {
  const root = await realpath(directory);
  const found: DependencyFolder[] = [];
  for (const path of paths) {
    const source = join(root, normalize(path));
    if ((await ifThere(realpath(source))) !== source) continue;
    if (source.startsWith(`${root}/`) && (await stat(source)).isDirectory()) found.push({ path, source });
  }
  return found;
}
