import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SnapshotId } from '../../../src/shared/vocabulary/ids.ts';
import { Project, taskA, valueOf } from './project.ts';

/** What is in a directory, told by walking it: nothing of ours takes part. Empty folders are no content. */
function walk(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name !== '.git')
    .flatMap((name) => {
      const at = folder === '' ? name : `${folder}/${name}`;
      const facts = lstatSync(join(root, at));
      if (facts.isDirectory()) return walk(root, at);
      if (facts.isSymbolicLink()) return [`${at} -> ${readlinkSync(join(root, at))}`];
      return [`${at} ${(facts.mode & 0o100) === 0 ? '' : 'x '}= ${readFileSync(join(root, at), 'hex')}`];
    })
    .sort();
}

/** Makes room for a path: what is there goes, and so does what is no folder above it. */
function clear(root: string, at: string): string {
  const names = at.split('/');
  for (let depth = 1; depth < names.length; depth++) {
    const parent = join(root, ...names.slice(0, depth));
    const facts = lstatSync(parent, { throwIfNoEntry: false });
    if (facts !== undefined && !facts.isDirectory()) rmSync(parent);
    if (facts === undefined || !facts.isDirectory()) mkdirSync(parent);
  }
  rmSync(join(root, at), { recursive: true, force: true });
  return join(root, at);
}

const paths = fc.constantFrom('a', 'a/b', 'a/b/c', 'd', 'd/e', '-x', 'sp ce', 'new\nline');
const contents = fc.constantFrom('', 'one\n', 'two\n', 'one\r\n');
const edits = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    path: paths,
    content: contents,
    executable: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('link' as const),
    path: paths,
    target: fc.constantFrom('a', '..', '/nowhere'),
  }),
  fc.record({ kind: fc.constant('delete' as const), path: paths }),
);

test('two snapshots are equal exactly where the content is, whatever was done and committed', async () => {
  const project = Project.withFiles({ a: 'one\n', 'd/e': 'two\n' });
  const workspace = project.workspace();
  const base = valueOf(await workspace.snapshotOfDirectory()).id;
  const place = valueOf(await workspace.open(taskA, base));
  const known = new Map<string, SnapshotId>();
  const check = (id: SnapshotId): void => {
    const content = JSON.stringify(walk(place.directory));
    expect(known.get(content) ?? id).toBe(id);
    known.set(content, id);
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(edits, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (steps, committed) => {
        for (const edit of steps) {
          if (edit.kind === 'delete')
            rmSync(join(place.directory, edit.path), { recursive: true, force: true });
          else if (edit.kind === 'link') symlinkSync(edit.target, clear(place.directory, edit.path));
          else {
            const file = clear(place.directory, edit.path);
            writeFileSync(file, edit.content);
            chmodSync(file, edit.executable ? 0o755 : 0o644);
          }
        }
        const snapshot = valueOf(await place.snapshot());
        check(snapshot.id);
        if (committed) {
          project.commit(place.directory);
          expect(valueOf(await place.compare(snapshot.id))).toEqual({ equal: true, snapshot });
        }
      },
    ),
    { numRuns: 40, seed: 7 },
  );
  // Different content, different ids: as many of the one as of the other.
  expect(known.size).toBeGreaterThan(20);
  expect(new Set(known.values()).size).toBe(known.size);
  valueOf(await place.reset(base));
  expect(walk(place.directory)).toEqual(walk(project.directory));
});
