import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergedMode, planApply, sameEntry } from '../../../../src/main/workspaces/apply/plan-apply.ts';
import type { Entries } from '../../../../src/main/workspaces/apply/plan-apply.ts';
import { parentsOf } from '../../../../src/main/workspaces/git/byte-path.ts';
import type { BytePath } from '../../../../src/main/workspaces/git/byte-path.ts';
import type { TreeEntry } from '../../../../src/main/workspaces/git/snapshot-store.ts';

const entries = fc.record({
  mode: fc.constantFrom('100644', '100755', '120000'),
  object: fc.constantFrom('1', '2', '3'),
});
const names = fc.constantFrom('a', 'a/b', 'a/b/c', 'd', 'd/e');

/** A tree as a directory can hold it: no file is a folder too. */
const trees = fc.dictionary(names, entries).map((raw): Entries => {
  const paths = Object.keys(raw) as BytePath[];
  const held = paths.filter((path) => !parentsOf(path).some((parent) => paths.includes(parent)));
  return new Map(held.map((path) => [path, raw[path] as TreeEntry]));
});

function carriedOut(
  now: Entries,
  changes: ReturnType<typeof planApply>['changes'],
): Map<BytePath, TreeEntry> {
  const after = new Map(now);
  for (const change of changes) {
    if (change.after === null) after.delete(change.path);
    else after.set(change.path, change.after);
  }
  return after;
}

test('a person who changed nothing gets exactly what was approved', () => {
  fc.assert(
    fc.property(trees, trees, (base, approved) => {
      const plan = planApply(base, approved, base);
      expect([plan.merges, plan.conflicts]).toEqual([[], []]);
      expect(carriedOut(base, plan.changes)).toEqual(new Map(approved));
    }),
  );
});

test('what was applied is not applied again', () => {
  fc.assert(
    fc.property(trees, trees, (base, approved) => {
      expect(planApply(base, approved, approved)).toEqual({ changes: [], merges: [], conflicts: [] });
    }),
  );
});

test('without conflicts the outcome is a tree in which each side has its changes', () => {
  fc.assert(
    fc.property(trees, trees, trees, (base, approved, now) => {
      const plan = planApply(base, approved, now);
      if (plan.conflicts.length > 0) return;
      const after = carriedOut(now, plan.changes);
      for (const path of after.keys())
        expect(parentsOf(path).some((parent) => after.has(parent))).toBe(false);
      const merged = new Set(plan.merges.map(({ path }) => path));
      for (const path of new Set([...base.keys(), ...approved.keys(), ...now.keys()])) {
        if (merged.has(path)) continue;
        const changed = !sameEntry(base.get(path) ?? null, approved.get(path) ?? null);
        expect(after.get(path)).toEqual((changed ? approved : now).get(path));
      }
    }),
  );
});

test('in a merge the mode is that of who changed it', () => {
  const entry = (mode: string, object: string): TreeEntry => ({ mode, object });
  const path = 'a' as BytePath;
  expect(
    mergedMode({
      path,
      base: entry('100644', '1'),
      approved: entry('100755', '2'),
      now: entry('100644', '3'),
    }),
  ).toBe('100755');
  expect(
    mergedMode({
      path,
      base: entry('100644', '1'),
      approved: entry('100644', '2'),
      now: entry('100755', '3'),
    }),
  ).toBe('100755');
  expect(
    mergedMode({
      path,
      base: entry('100755', '1'),
      approved: entry('100755', '2'),
      now: entry('100644', '3'),
    }),
  ).toBe('100644');
});
