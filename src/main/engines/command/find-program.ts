import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * The path of a program as a shell would find it; null where there is none. A relative path with a "/" depends on
 * where the program is started, so it is taken as it is.
 */
export async function findProgram(name: string, path: string): Promise<string | null> {
  if (name.includes('/') && !name.startsWith('/')) return name;
  const candidates = name.includes('/') ? [name] : path.split(delimiter).map((folder) => join(folder, name));
  for (const candidate of candidates) {
    if (await isExecutable(candidate)) return candidate;
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
