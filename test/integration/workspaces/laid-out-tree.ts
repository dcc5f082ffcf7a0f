import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** Every file of a folder by its path, bytes as characters: whether it is executable or a link, and what it holds. */
export function treeOf(root: string, without: readonly string[] = []): Record<string, string> {
  const tree: [string, string][] = [];
  const visit = (folder: string): void => {
    for (const name of readdirSync(at(root, folder), { encoding: 'latin1' })) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (without.includes(path)) continue;
      const facts = lstatSync(at(root, path));
      if (facts.isDirectory()) visit(path);
      else if (facts.isSymbolicLink()) tree.push([path, `link ${readlinkSync(at(root, path), 'latin1')}`]);
      else {
        const kind = (facts.mode & 0o100) === 0 ? 'file' : 'program';
        tree.push([path, `${kind} ${readFileSync(at(root, path), 'latin1')}`]);
      }
    }
  };
  visit('');
  return Object.fromEntries(tree.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function at(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}
