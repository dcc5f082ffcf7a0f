import { describe, expect, test } from 'vitest';
import {
  MAX_CHARACTERS_PER_LINE,
  MAX_LINES_PER_FILE,
  parseChanges,
  withHunks,
} from '../../../../src/main/workspaces/diff/parse-diff.ts';

const zero = '0'.repeat(40);
const one = '1'.repeat(40);
const two = '2'.repeat(40);

/** As `git diff-tree -r -z --raw --numstat` prints it: first all files, then all counts. */
function output(...fields: string[]): Buffer {
  return Buffer.from(fields.map((field) => `${field}\0`).join(''), 'latin1');
}

const list = output(
  `:000000 100644 ${zero} ${one} A`,
  'a\nb',
  `:100644 000000 ${one} ${zero} D`,
  '-d',
  `:100644 100755 ${one} ${one} M`,
  'mode',
  `:100644 100644 ${one} ${two} R090`,
  'old',
  'n\u00c3\u00a9w',
  `:100644 120000 ${one} ${two} T`,
  'type',
  `:100644 100644 ${one} ${two} M`,
  'bin',
  '1\t0\ta\nb',
  '0\t2\t-d',
  '0\t0\tmode',
  '3\t1\t',
  'old',
  'n\u00c3\u00a9w',
  '1\t1\ttype',
  '-\t-\tbin',
);

describe('a diff of two snapshots', () => {
  test('lists what changed and how', () => {
    expect(
      parseChanges(list).map(({ path, previousPath, change, binary, additions, deletions }) => [
        path,
        previousPath,
        change,
        binary,
        additions,
        deletions,
      ]),
    ).toEqual([
      ['a\nb', null, 'added', false, 1, 0],
      ['-d', null, 'deleted', false, 0, 2],
      ['mode', null, 'mode', false, 0, 0],
      ['néw', 'old', 'renamed', false, 3, 1],
      ['type', null, 'type', false, 1, 1],
      ['bin', null, 'modified', true, 0, 0],
    ]);
    expect(parseChanges(Buffer.alloc(0))).toEqual([]);
  });

  test('gives each file its hunks, two sections to a change of type, and lines that look like headers to their file', () => {
    const patch = [
      'diff --git a/x b/x',
      '--- /dev/null',
      '+++ b/x',
      '@@ -0,0 +1,2 @@',
      '+diff --git a/no b/no',
      '+@@ -1 +1 @@',
      '\\ No newline at end of file',
      'diff --git a/d b/d',
      '@@ -1,2 +0,0 @@',
      '-x',
      '--- y',
      'diff --git a/mode b/mode',
      'old mode 100644',
      'new mode 100755',
      'diff --git a/old b/new',
      '@@ -4 +4,3 @@ context',
      ' a',
      '-b',
      '+c',
      'diff --git a/type b/type',
      '@@ -1 +0,0 @@',
      '-file',
      'diff --git a/type b/type',
      '@@ -0,0 +1 @@',
      '+link',
      'diff --git a/bin b/bin',
      'Binary files a/bin and b/bin differ',
      '',
    ].join('\n');
    const files = withHunks(parseChanges(list), patch, false);
    expect(files.map((file) => file.hunks.map((hunk) => hunk.lines))).toEqual([
      [['+diff --git a/no b/no', '+@@ -1 +1 @@', '\\ No newline at end of file']],
      [['-x', '--- y']],
      [],
      [[' a', '-b', '+c']],
      [['-file'], ['+link']],
      [],
    ]);
    expect(files[3]?.hunks[0]).toMatchObject({ oldStart: 4, oldLines: 1, newStart: 4, newLines: 3 });
    expect(files.every((file) => !file.truncated)).toBe(true);
  });

  test('is cut to its bounds, and says so', () => {
    const changes = parseChanges(list).slice(0, 2);
    const long = [
      'diff --git a/x b/x',
      '@@ -0,0 +1,9999 @@',
      ...Array.from({ length: MAX_LINES_PER_FILE + 1 }, () => '+x'),
    ].join('\n');
    const [many, missing] = withHunks(changes, long, true);
    expect(many?.hunks[0]?.lines).toHaveLength(MAX_LINES_PER_FILE);
    expect([many?.truncated, missing?.truncated, missing?.hunks]).toEqual([true, true, []]);
    const [wide] = withHunks(changes, `diff --git a/x b/x\n@@ -0,0 +1 @@\n+${'x'.repeat(9_000)}\n`, false);
    expect([wide?.truncated, wide?.hunks[0]?.lines[0]?.length]).toEqual([true, MAX_CHARACTERS_PER_LINE]);
  });
});
