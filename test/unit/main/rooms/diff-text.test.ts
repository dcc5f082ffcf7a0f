import { describe, expect, it } from 'vitest';
import type { Diff, FileDiff } from '../../../../src/main/ports/workspace.ts';
import { promptDiff, unifiedDiff } from '../../../../src/main/rooms/diff-text.ts';

function file(path: string, lines: readonly string[]): FileDiff {
  return {
    path,
    previousPath: null,
    change: 'modified',
    binary: false,
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines }],
    truncated: false,
  };
}

function diff(...files: readonly FileDiff[]): Diff {
  return {
    files,
    additions: files.reduce((sum, { additions }) => sum + additions, 0),
    deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
  };
}

describe('promptDiff', () => {
  it('says that nothing has changed', () => {
    expect(promptDiff(diff())).toEqual({ text: 'Nothing has changed.', notShown: [] });
  });

  it('gives the numbers first, then the hunks', () => {
    expect(promptDiff(diff(file('a.ts', [' one', '+two']))).text).toBe(
      '1 file, +1 −0\n- modified a.ts +1 −0\n\n--- a.ts\n+++ a.ts\n@@ -1,1 +1,2 @@\n one\n+two',
    );
  });

  it('names every file even where their hunks do not fit, and says how many are left out', () => {
    const long = file('b.ts', [`+${'x'.repeat(500)}`]);
    const { text, notShown } = promptDiff(diff(file('a.ts', ['+short']), long), 200);
    expect(notShown).toEqual([{ what: 'b.ts', why: 'its changes did not fit into the prompt' }]);
    expect(text).toContain('- modified b.ts');
    expect(text).toContain('+short');
    expect(text).not.toContain('xxx');
    expect(text).toContain('(The hunks of 1 more file are left out here.)');
  });

  it('says where a file was before, and that one is binary', () => {
    const moved: FileDiff = {
      ...file('new.png', []),
      previousPath: 'old.png',
      change: 'renamed',
      binary: true,
    };
    expect(promptDiff(diff(moved)).text).toContain('- renamed old.png → new.png (binary)');
  });

  it('does not show what looks like a secret', () => {
    const { text, notShown } = promptDiff(diff(file('deploy/.env', ['+KEY=hunter2'])));
    expect(notShown).toMatchObject([{ what: 'deploy/.env' }]);
    expect(text).toContain('- modified deploy/.env');
    expect(text).toContain('deploy/.env: not shown, because it looks like a secret.');
    expect(text).not.toContain('hunter2');
  });

  it('says where the changes of a file are cut', () => {
    const cut: FileDiff = { ...file('a.ts', ['+one']), truncated: true };
    const { text, notShown } = promptDiff(diff(cut));
    expect(notShown).toMatchObject([{ what: 'a.ts' }]);
    expect(text).toContain('+one\n(The rest of this file is left out here: read the file itself.)');
  });
});

describe('unifiedDiff', () => {
  it('is empty where nothing has changed, and else what patch reads', () => {
    expect(unifiedDiff(diff())).toBe('');
    expect(unifiedDiff(diff(file('a.ts', [' one', '+two']), file('b.ts', ['-x'])))).toBe(
      '--- a.ts\n+++ a.ts\n@@ -1,1 +1,2 @@\n one\n+two\n--- b.ts\n+++ b.ts\n@@ -1,1 +1,2 @@\n-x\n',
    );
  });
});
