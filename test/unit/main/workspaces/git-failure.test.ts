import { describe, expect, test } from 'vitest';
import { failureOfFileSystem, failureOfGit } from '../../../../src/main/workspaces/git/git-failure.ts';

describe('what git printed becomes a failure', () => {
  test.each([
    ['error: file write error: No space left on device', 'disk_full'],
    ['fatal: unable to write: Disk quota exceeded', 'disk_full'],
    ["error: unable to write file 'big.bin'", 'disk_full'],
    ["fatal: not a git repository: '/x/.git/worktrees/task_1'", 'missing'],
    ["fatal: Unable to create '/x/index.lock': Read-only file system", 'read_only'],
    ["fatal: Unable to create '/x/index.lock': Permission denied", 'read_only'],
    ["fatal: cannot lock ref 'refs/heads/a': unable to create directory for .git/refs/heads/a", 'read_only'],
    ['error: open("a b.txt"): Permission denied\nfatal: Unable to process path a b.txt', 'unreadable'],
    ["warning: could not open directory 'locked/': Permission denied", 'unreadable'],
    ['fatal: something new', 'git_failed'],
  ])('%s', (errors, tag) => {
    const failure = failureOfGit(['-c', 'core.x=y', 'write-tree'], 128, errors);
    expect([failure.tag, typeof failure.next]).toEqual([tag, 'string']);
  });

  test('the file that can not be read, and the command that failed, are named', () => {
    expect(failureOfGit([], 128, 'error: open("a b.txt"): Permission denied').paths).toEqual(['a b.txt']);
    expect(failureOfGit(['-c', 'core.x=y', 'write-tree'], 3, '').message).toBe(
      '"git write-tree" failed with exit code 3: it said nothing',
    );
  });
});

test.each([
  ['ENOSPC', 'disk_full'],
  ['EDQUOT', 'disk_full'],
  ['EROFS', 'read_only'],
  ['EACCES', 'read_only'],
  ['EIO', 'git_failed'],
])('the file system says %s', (code, tag) => {
  const failure = failureOfFileSystem('writing "a.txt"', Object.assign(new Error(`${code}: no`), { code }));
  expect([failure.tag, failure.message]).toEqual([tag, expect.stringContaining('writing "a.txt"')]);
});
