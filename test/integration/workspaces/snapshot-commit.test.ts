import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { writeSnapshotCommit } from '../../../src/main/workspaces/git/snapshot-commit.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.each(['sha1', 'sha256'])(
  'the commit of a snapshot is the one that git itself makes (%s)',
  async (format) => {
    const directory = temporaryFolder('store');
    const git = (...args: string[]): string =>
      execFileSync('git', ['--git-dir', directory, ...args], {
        encoding: 'utf8',
        input: '',
        env: {
          ...process.env,
          GIT_AUTHOR_NAME: 'Tribune',
          GIT_AUTHOR_EMAIL: 'snapshot@tribune.invalid',
          GIT_AUTHOR_DATE: '1970-01-01T00:00:00Z',
          GIT_COMMITTER_NAME: 'Tribune',
          GIT_COMMITTER_EMAIL: 'snapshot@tribune.invalid',
          GIT_COMMITTER_DATE: '1970-01-01T00:00:00Z',
        },
      }).trim();
    git('init', '--quiet', '--bare', `--object-format=${format}`);
    const tree = git('mktree');
    const object = await writeSnapshotCommit(directory, tree);
    expect(git('cat-file', '-t', object)).toBe('commit');
    git('fsck', '--strict');
    expect(git('commit-tree', '-m', 'Snapshot', tree)).toBe(object);
    expect(await writeSnapshotCommit(directory, tree)).toBe(object);
  },
);
