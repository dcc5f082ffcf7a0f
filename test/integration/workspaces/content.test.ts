import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SnapshotId } from '../../../src/shared/vocabulary/ids.ts';
import { Project, failureOf, taskA, valueOf } from './project.ts';

/** What a snapshot holds, asked of git itself: `mode path` lines, with bytes as characters. */
function contentOf(project: Project, snapshot: SnapshotId): string[] {
  const listing = execFileSync('git', ['ls-tree', '-r', '-z', '--full-tree', snapshot.slice(5)], {
    env: {
      PATH: process.env['PATH'],
      GIT_DIR: join(project.data, 'snapshots.git'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(project.directory, '.git/objects'),
    },
  });
  return listing
    .toString('latin1')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => `${line.slice(0, 6)} ${line.slice(line.indexOf('\t') + 1)}`);
}

describe('what a snapshot holds', () => {
  test('every name, bytes and all, executable bits, and links as links', async () => {
    const project = Project.withFiles({ 'plain.txt': 'x\n' });
    const names = [
      ' lead and trail ',
      'new\nline',
      '-dash',
      '--all',
      'quo"te\'s',
      'back\\slash',
      'tab\there',
      '*',
      ':(glob)x',
      'git~1',
      'é',
    ];
    for (const name of names) writeFileSync(join(project.directory, name), 'x');
    const odd = Buffer.concat([Buffer.from(`${project.directory}/`), Buffer.from([0x66, 0xff, 0xfe])]);
    writeFileSync(odd, 'x');
    writeFileSync(join(project.directory, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(project.directory, 'run.sh'), 0o755);
    symlinkSync('/etc/passwd', join(project.directory, 'absolute'));
    symlinkSync('nowhere', join(project.directory, 'dangling'));
    symlinkSync('../..', join(project.directory, 'outside'));
    execFileSync('mkfifo', [join(project.directory, 'pipe')]);

    const workspace = project.workspace();
    const base = valueOf(await workspace.snapshotOfDirectory());
    const expected = [
      ...names.map((name) => `100644 ${Buffer.from(name).toString('latin1')}`),
      '100644 f\u00ff\u00fe',
      '100644 plain.txt',
      '100755 run.sh',
      '120000 absolute',
      '120000 dangling',
      '120000 outside',
    ];
    expect(contentOf(project, base.id).sort()).toEqual(expected.sort());

    const place = valueOf(await workspace.open(taskA, base.id));
    expect(valueOf(await place.compare(base.id)).equal).toBe(true);
    writeFileSync(
      Buffer.concat([Buffer.from(`${place.directory}/`), Buffer.from([0x66, 0xff, 0xfe])]),
      'changed',
    );
    unlinkSync(join(place.directory, 'new\nline'));
    const approved = valueOf(await place.snapshot());
    const applied = valueOf(await workspace.apply(base.id, approved.id));
    expect(applied.paths).toHaveLength(2);
    expect(readFileSync(odd, 'utf8')).toBe('changed');
  });

  test('files, folders and links that turn into each other', async () => {
    const project = Project.withFiles({
      file: 'x',
      'folder/a': 'x',
      'folder/b/c': 'x',
      other: 'x',
      piped: 'x',
      'linked/a': 'x',
    });
    const workspace = project.workspace();
    const base = valueOf(await workspace.snapshotOfDirectory());
    const place = valueOf(await workspace.open(taskA, base.id));
    const at = (name: string): string => join(place.directory, name);
    unlinkSync(at('file'));
    mkdirSync(at('file'));
    writeFileSync(at('file/inside'), 'x');
    rmSync(at('folder'), { recursive: true });
    writeFileSync(at('folder'), 'x');
    renameSync(at('linked'), at('moved'));
    symlinkSync('moved', at('linked'));
    unlinkSync(at('piped'));
    execFileSync('mkfifo', [at('piped')]);
    const changed = valueOf(await place.snapshot());
    const expected = [
      '100644 file/inside',
      '100644 folder',
      '100644 moved/a',
      '100644 other',
      '120000 linked',
    ];
    expect(contentOf(project, changed.id).sort()).toEqual(expected);
    expect(valueOf(await place.compare(changed.id)).equal).toBe(true);

    valueOf(await workspace.apply(base.id, changed.id));
    expect(valueOf(await workspace.snapshotOfDirectory()).id).toBe(changed.id);
    unlinkSync(at('piped'));
    valueOf(await place.reset(base.id));
    expect(valueOf(await place.compare(base.id)).equal).toBe(true);
  });

  test('nested repositories and dirty submodules are plain content, but for their .git', async () => {
    const project = Project.withFiles({ 'a.txt': 'x\n' });
    const inner = join(project.base, 'inner');
    mkdirSync(inner);
    project.gitIn(inner, 'init', '--quiet');
    project.write({ 'lib.txt': 'committed\n', '.gitignore': '*.log\n' }, inner);
    project.commit(inner);
    project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    project.commit();
    project.write({ 'sub/lib.txt': 'dirty\n', 'sub/new.txt': 'x', 'sub/out.log': 'ignored' });
    for (const nested of ['unborn', 'empty', 'deep/er', 'deep/er/inside']) {
      mkdirSync(join(project.directory, nested), { recursive: true });
      project.gitIn(join(project.directory, nested), 'init', '--quiet');
    }
    project.write({ 'unborn/f': 'x', 'deep/er/f': 'x', 'deep/er/inside/f': 'x' });
    project.commit(join(project.directory, 'deep/er/inside'));

    const workspace = project.workspace();
    const base = valueOf(await workspace.snapshotOfDirectory());
    const expected = [
      '.gitmodules',
      'a.txt',
      'deep/er/f',
      'deep/er/inside/f',
      'sub/.gitignore',
      'sub/lib.txt',
      'sub/new.txt',
      'unborn/f',
    ];
    expect(contentOf(project, base.id)).toEqual(expected.map((name) => `100644 ${name}`));
    expect(valueOf(await workspace.snapshotOfDirectory()).id).toBe(base.id);

    const place = valueOf(await workspace.open(taskA, base.id));
    expect(readFileSync(join(place.directory, 'sub/lib.txt'), 'utf8')).toBe('dirty\n');
    mkdirSync(join(place.directory, 'made'));
    project.gitIn(join(place.directory, 'made'), 'init', '--quiet');
    project.write({ 'made/by-owner.txt': 'x', 'sub/lib.txt': 'fixed\n' }, place.directory);
    project.commit(join(place.directory, 'made'));
    const approved = valueOf(await place.snapshot());
    expect(valueOf(await place.compare(approved.id)).equal).toBe(true);
    expect(valueOf(await workspace.apply(base.id, approved.id)).paths).toEqual([
      'made/by-owner.txt',
      'sub/lib.txt',
    ]);
    expect(project.text('sub/lib.txt')).toBe('fixed\n');
  });

  test('untracked secrets are left out and named; tracked ones and examples are content', async () => {
    const project = Project.withFiles({ 'tracked.pem': 'x', '.gitignore': 'ignored.key\n' });
    project.write({
      '.env': 'x',
      'sub/.env.local': 'x',
      id_rsa: 'x',
      '.env.example': 'x',
      'ignored.key': 'x',
      '.GIT/odd': 'x',
    });
    const workspace = project.workspace();
    const base = valueOf(await workspace.snapshotOfDirectory());
    expect(base.leftOut).toEqual(['.GIT/odd', '.env', 'id_rsa', 'sub/.env.local']);
    expect(contentOf(project, base.id)).toEqual([
      '100644 .env.example',
      '100644 .gitignore',
      '100644 tracked.pem',
    ]);
    expect(valueOf(await workspace.snapshotOfDirectory()).leftOut).toEqual(base.leftOut);
    project.git('add', 'id_rsa');
    expect(contentOf(project, valueOf(await workspace.snapshotOfDirectory()).id)).toContain('100644 id_rsa');
    project.git('rm', '--quiet', '--cached', 'id_rsa');
    const again = valueOf(await workspace.snapshotOfDirectory());
    expect([again.id, again.leftOut]).toEqual([base.id, base.leftOut]);
  });

  test('tracked files that are ignored are content, and dependencies never are', async () => {
    const project = Project.withFiles({ '.gitignore': '*.gen\nnode_modules\n' });
    project.write({ 'kept.gen': 'x', 'other.gen': 'x', 'node_modules/m/i.js': 'x', 'vendor/v.js': 'x' });
    project.git('add', '--force', 'kept.gen');
    const workspace = project.workspace({ dependencies: ['node_modules', 'vendor/'] });
    const base = valueOf(await workspace.snapshotOfDirectory());
    expect(contentOf(project, base.id)).toEqual(['100644 .gitignore', '100644 kept.gen']);
    const place = valueOf(await workspace.open(taskA, base.id));
    project.write({ 'vendor/w.js': 'x', 'forced.gen': 'x', 'kept.gen': 'y' }, place.directory);
    const changed = valueOf(await place.snapshot());
    expect(contentOf(project, changed.id)).toEqual(['100644 .gitignore', '100644 kept.gen']);
    expect(changed.id).not.toBe(base.id);
    project.gitIn(place.directory, 'add', '--force', 'forced.gen');
    const forced = valueOf(await place.snapshot());
    expect(contentOf(project, forced.id)).toContain('100644 forced.gen');
    expect(valueOf(await place.compare(forced.id)).equal).toBe(true);
  });

  test('ignore files count as git counts them: per folder, negated, personal, and in caches that ignore themselves', async () => {
    const project = Project.withFiles({
      '.gitignore': '*.log\n!keep.log\n/top\nbuild/\n',
      'sub/.gitignore': '!sub.log\n/top\n\\#x\n',
      'sub/[odd]*/.gitignore': 'inner\r\n',
    });
    project.write({
      'a.log': 'x',
      'keep.log': 'x',
      'sub/sub.log': 'x',
      'sub/a.log': 'x',
      top: 'x',
      'sub/top': 'x',
      'sub/deep/top': 'x',
      'sub/#x': 'x',
      'sub/build/x': 'x',
      'sub/[odd]*/inner': 'x',
      'sub/[odd]*/deep/inner': 'x',
      'sub/o/inner': 'x',
      '.cache/tool/.gitignore': '*\n',
      '.cache/tool/data': 'x',
      '.venv/lib': 'x',
      personal: 'x',
      global: 'x',
    });
    project.write({ '.git/info/exclude': 'personal\n' });
    project.write({ '.config/git/ignore': 'global\n' }, project.home);
    const workspace = project.workspace();
    const base = valueOf(await workspace.snapshotOfDirectory());
    const expected = project
      .git('ls-files', '-z', '--cached', '--others', '--exclude-standard')
      .split('\0')
      .filter((name) => name !== '' && !name.startsWith('.venv'));
    expect(contentOf(project, base.id)).toEqual(expected.sort().map((name) => `100644 ${name}`));
    const place = valueOf(await workspace.open(taskA, base.id));
    project.write(
      { '.cache/tool/data': 'x', '.pytest_cache/v/x': 'x', '.pytest_cache/.gitignore': '*\n' },
      place.directory,
    );
    expect(valueOf(await place.snapshot()).id).toBe(base.id);
  });

  test('equal content has the equal id in another room', async () => {
    const files = { 'a.txt': 'one\n', 'b/c.txt': 'two\n' };
    const committed = Project.withFiles(files);
    const uncommitted = Project.withFiles({});
    uncommitted.write(files);
    const plain = new Project();
    plain.write(files);
    const ids = await Promise.all(
      [committed, uncommitted, plain].map(
        async (project) => valueOf(await project.workspace().snapshotOfDirectory()).id,
      ),
    );
    expect(new Set(ids).size).toBe(1);
  });

  test('a repository of SHA-256 objects', async () => {
    const project = new Project();
    project.git('init', '--quiet', '--object-format=sha256');
    project.write({ 'a.txt': 'x\n' });
    project.commit();
    const workspace = project.workspace();
    const base = valueOf(await workspace.snapshotOfDirectory());
    expect(base.id).toMatch(/^snap_[0-9a-f]{64}$/);
    const place = valueOf(await workspace.open(taskA, base.id));
    project.write({ 'a.txt': 'y\n' }, place.directory);
    const approved = valueOf(await place.snapshot());
    expect(valueOf(await workspace.apply(base.id, approved.id)).paths).toEqual(['a.txt']);
  });
});

describe('a directory that can not be worked in', () => {
  test.each([
    [
      'missing',
      (project: Project) => {
        rmSync(project.directory, { recursive: true });
      },
    ],
    [
      'not_a_directory',
      (project: Project) => {
        rmSync(project.directory, { recursive: true });
        writeFileSync(project.directory, '');
      },
    ],
    [
      'bare_repository',
      (project: Project) => {
        project.git('init', '--quiet', '--bare');
      },
    ],
    [
      'git_failed',
      (project: Project) => {
        project.write({ '.git': 'gitdir: /nowhere\n' });
      },
    ],
    [
      'unfinished_merge',
      (project: Project) => {
        project.git('init', '--quiet');
        project.commit();
        project.write({ '.git/MERGE_HEAD': project.git('rev-parse', 'HEAD') });
      },
    ],
    [
      'unfinished_merge',
      (project: Project) => {
        project.git('init', '--quiet');
        project.commit();
        mkdirSync(join(project.directory, '.git/rebase-merge'));
      },
    ],
    [
      'unfinished_merge',
      (project: Project) => {
        project.git('init', '--quiet');
        project.commit();
        project.write({ '.git/CHERRY_PICK_HEAD': project.git('rev-parse', 'HEAD') });
      },
    ],
  ])('%s', async (tag, spoil) => {
    const project = new Project();
    spoil(project);
    const workspace = project.workspace();
    for (const result of [await workspace.inspect(), await workspace.snapshotOfDirectory()]) {
      const failure = failureOf(result);
      expect(failure.tag).toBe(tag);
      expect(failure.message).toContain(project.directory);
      expect(failure.next).toMatch(/^\S.*\S$/s);
    }
  });

  test('git is not installed', async () => {
    const project = Project.withFiles({});
    const workspace = project.workspace({ environment: { PATH: project.base } });
    expect(failureOf(await workspace.snapshotOfDirectory()).tag).toBe('git_missing');
  });

  test('a snapshot that is not there', async () => {
    const project = Project.withFiles({});
    const workspace = project.workspace();
    const unknown: SnapshotId = `snap_${'0'.repeat(40)}`;
    expect(failureOf(await workspace.open(taskA, unknown)).tag).toBe('unknown_snapshot');
    expect(failureOf(await workspace.diff(unknown, 'snap_--output=x')).tag).toBe('unknown_snapshot');
    expect(failureOf(await workspace.apply(unknown, unknown)).tag).toBe('unknown_snapshot');
  });

  test('a file that can not be read is named', async () => {
    const project = Project.withFiles({});
    project.write({ 'locked.txt': 'x' });
    chmodSync(join(project.directory, 'locked.txt'), 0);
    const failure = await asOrdinaryUser(project.base, async () =>
      failureOf(await project.workspace().snapshotOfDirectory()),
    );
    expect([failure.tag, failure.message]).toEqual(['unreadable', expect.stringContaining('locked.txt')]);
  });

  test('a folder of a repository stands for the whole; one that it tracks nothing in stands alone', async () => {
    const project = Project.withFiles({ 'root.txt': 'x', 'packages/a/a.txt': 'x', '.gitignore': 'apart/\n' });
    project.write({ 'apart/b.txt': 'x' });
    const inPackage = project.workspace({ directory: join(project.directory, 'packages/a') });
    expect(valueOf(await inPackage.inspect()).kind).toBe('repository');
    expect(contentOf(project, valueOf(await inPackage.snapshotOfDirectory()).id)).toHaveLength(3);
    const data = join(project.base, 'data-apart');
    const apart = project.workspace({
      directory: join(project.directory, 'apart'),
      dataDirectory: data,
    });
    expect(valueOf(await apart.inspect()).kind).toBe('plain');
    expect(valueOf(await apart.read(valueOf(await apart.snapshotOfDirectory()).id).list(''))).toEqual([
      { path: 'b.txt', kind: 'file' },
    ]);
  });
});

test('a setup is proposed from lock files', async () => {
  const project = Project.withFiles({
    'package-lock.json': '{}',
    'uv.lock': '',
    'vendor/tracked.php': 'x',
    'composer.lock': '{}',
  });
  const report = valueOf(await project.workspace().inspect());
  expect(report).toEqual({
    kind: 'repository',
    proposedSetup: 'npm ci && uv sync --frozen && composer install',
    proposedDependencies: ['node_modules', '.venv'],
  });
  const none = Project.withFiles({ 'go.mod': '' });
  expect(valueOf(await none.workspace().inspect())).toEqual({
    kind: 'repository',
    proposedSetup: null,
    proposedDependencies: [],
  });
});

/** The user `nobody`. */
const NOBODY = 65_534;

/** Root may read everything, so what others may not is tried as somebody else, who owns the folder meanwhile. */
async function asOrdinaryUser<T>(folder: string, work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  execFileSync('chown', ['-R', String(NOBODY), folder]);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
