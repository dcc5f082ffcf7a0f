import { ok } from '../../../shared/kernel/result.ts';
import type { Entry, ReadableFiles } from '../../ports/workspace.ts';

/**
 * A snapshot's files, and beside them the room's dependency folders as they are in the owner's place. Those are
 * no content, so no snapshot has them; whoever judges the work may still have to look into them.
 */
export function withDependencies(
  snapshot: ReadableFiles,
  place: ReadableFiles,
  dependencies: readonly string[],
): ReadableFiles {
  const isBeside = (path: string): boolean =>
    !path.split('/').includes('..') &&
    dependencies.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const filesOf = (path: string): ReadableFiles => (isBeside(path) ? place : snapshot);
  return {
    async list(path) {
      const listed = await filesOf(path).list(path);
      if (!listed.ok || isBeside(path)) return listed;
      const beside: Entry[] = [];
      for (const folder of dependencies) {
        if (parentOf(folder) !== path || !(await place.list(folder)).ok) continue;
        beside.push({ path: folder, kind: 'directory' });
      }
      return ok([...listed.value, ...beside]);
    },
    read: (path, range) => filesOf(path).read(path, range),
    search: (pattern, path) => filesOf(path).search(pattern, path),
  };
}

function parentOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}
