declare const bytes: unique symbol;

/**
 * A path relative to a content root as git and the file system know it: bytes, one per character, because a name
 * need not be valid UTF-8. `textOfPath` is for people to read and may lose such bytes.
 */
export type BytePath = string & { readonly [bytes]: true };

export function bytePathOf(text: string): BytePath {
  return Buffer.from(text, 'utf8').toString('latin1') as BytePath;
}

export function textOfPath(path: BytePath): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** The paths in a NUL-separated list that git printed. */
export function bytePathsIn(output: Buffer): BytePath[] {
  return output.length === 0 ? [] : (output.toString('latin1').replace(/\0$/, '').split('\0') as BytePath[]);
}

/** A NUL-separated list, as git reads it. */
export function listOfPaths(paths: Iterable<BytePath>): Buffer {
  let list = '';
  for (const path of paths) list += `${path}\0`;
  return Buffer.from(list, 'latin1');
}

/** Where a path lies in the file system. */
export function locationOf(root: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`, 'utf8'), Buffer.from(path, 'latin1')]);
}

/** The folders that hold a path, outermost first. */
export function parentsOf(path: BytePath): BytePath[] {
  const parents: BytePath[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
    parents.push(path.slice(0, at) as BytePath);
  return parents;
}

/** Joins names below a folder. */
export function below(folder: BytePath, name: string): BytePath {
  return `${folder.replace(/\/$/, '')}/${name}` as BytePath;
}
