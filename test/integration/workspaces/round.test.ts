import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Project, taskA, taskB, valueOf } from './project.ts';

describe('a task from start to apply', () => {
  test('the owner works in a worktree on a branch of the task, and apply brings the snapshot back', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n', 'dir/b.txt': 'two\n', 'gone.txt': 'x\n' });
    project.write({ 'dir/b.txt': 'two, uncommitted\n', 'new.txt': 'untracked\n' });
    const before = {
      status: project.git('status', '--porcelain'),
      head: project.git('rev-parse', 'HEAD'),
      stash: project.git('stash', 'list'),
    };
    const workspace = project.workspace();
    const base = valueOf(await workspace.snapshotOfDirectory());
    const place = valueOf(await workspace.open(taskA, base.id));

    expect(readFileSync(join(place.directory, 'dir/b.txt'), 'utf8')).toBe('two, uncommitted\n');
    expect(readFileSync(join(place.directory, 'new.txt'), 'utf8')).toBe('untracked\n');
    expect(project.gitIn(place.directory, 'branch', '--show-current').trim()).toBe(`tribune/${taskA}`);
    expect(project.gitIn(place.directory, 'status', '--porcelain')).toBe(' M dir/b.txt\n?? new.txt\n');
    expect(valueOf(await place.snapshot()).id).toBe(base.id);

    project.write({ 'a.txt': 'one\nmore\n', 'deep/er/c.txt': 'three\n' }, place.directory);
    unlinkSync(join(place.directory, 'gone.txt'));
    symlinkSync('a.txt', join(place.directory, 'link'));
    chmodSync(join(place.directory, 'dir/b.txt'), 0o755);
    const approved = valueOf(await place.snapshot());
    expect(approved.id).not.toBe(base.id);
    project.commit(place.directory);
    expect(valueOf(await place.snapshot()).id).toBe(approved.id);
    expect(valueOf(await place.compare(approved.id))).toMatchObject({ equal: true });

    expect({
      status: project.git('status', '--porcelain'),
      head: project.git('rev-parse', 'HEAD'),
      stash: project.git('stash', 'list'),
    }).toEqual(before);

    const diff = valueOf(await workspace.diff(base.id, approved.id));
    expect(diff.files.map((file) => [file.path, file.change, file.additions, file.deletions])).toEqual([
      ['a.txt', 'modified', 1, 0],
      ['deep/er/c.txt', 'added', 1, 0],
      ['dir/b.txt', 'mode', 0, 0],
      ['gone.txt', 'deleted', 0, 1],
      ['link', 'added', 1, 0],
    ]);

    const applied = valueOf(await workspace.apply(base.id, approved.id));
    expect(applied.paths).toEqual(['a.txt', 'deep/er/c.txt', 'dir/b.txt', 'gone.txt', 'link']);
    expect(valueOf(await workspace.snapshotOfDirectory()).id).toBe(approved.id);
    expect(lstatSync(join(project.directory, 'link')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(project.directory, 'gone.txt'))).toBe(false);
    expect(valueOf(await workspace.apply(base.id, approved.id)).paths).toEqual([]);
    expect(readdirSync(project.directory).filter((name) => name.includes('tribune'))).toEqual([]);
    expect(project.git('rev-parse', 'HEAD')).toBe(before.head);
  });

  test('opening again gives the same place with what is in it, and removing takes it away', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n' });
    const first = project.workspace();
    const base = valueOf(await first.snapshotOfDirectory());
    const place = valueOf(await first.open(taskA, base.id));
    project.write({ 'a.txt': 'changed\n' }, place.directory);
    await first.close();

    const second = project.workspace();
    const again = valueOf(await second.open(taskA, base.id));
    expect(again.directory).toBe(place.directory);
    const changed = valueOf(await again.snapshot());
    expect(changed.id).not.toBe(base.id);
    const other = valueOf(await second.open(taskB, changed.id));
    expect(readFileSync(join(other.directory, 'a.txt'), 'utf8')).toBe('changed\n');

    project.write({ 'cache/deep/x': 'x' }, again.directory);
    chmodSync(join(again.directory, 'cache/deep'), 0o555);
    valueOf(await again.remove());
    expect(existsSync(place.directory)).toBe(false);
    expect(project.git('worktree', 'list')).not.toContain(taskA);
    expect(project.git('branch', '--list', `tribune/${taskA}`)).toBe('');
    const file = valueOf(await second.read(changed.id).read('a.txt'));
    expect(file).toEqual({ text: 'changed\n', totalLines: 1, truncated: false });
  });

  test('reset brings the base back, whatever was done to the worktree and its branch', async () => {
    const project = Project.withFiles({
      'a.txt': 'one\n',
      'b/c.txt': 'two\n',
      '.gitignore': 'node_modules/\n',
    });
    const workspace = project.workspace();
    project.write({ 'untracked.txt': 'mine\n' });
    const base = valueOf(await workspace.snapshotOfDirectory());
    const place = valueOf(await workspace.open(taskA, base.id));
    project.write(
      { 'a.txt': 'x\n', 'extra/file.txt': 'x\n', 'node_modules/m/index.js': 'kept\n', '.env': 'KEPT=1\n' },
      place.directory,
    );
    project.commit(place.directory);
    project.gitIn(place.directory, 'checkout', '--quiet', '-b', 'elsewhere');
    rmSync(join(place.directory, 'b'), { recursive: true });
    valueOf(await place.reset(base.id));
    expect(valueOf(await place.compare(base.id)).equal).toBe(true);
    expect(existsSync(join(place.directory, 'extra'))).toBe(false);
    expect(existsSync(join(place.directory, 'node_modules/m/index.js'))).toBe(true);
    expect(project.gitIn(place.directory, 'branch', '--show-current').trim()).toBe(`tribune/${taskA}`);
    expect(project.gitIn(place.directory, 'rev-parse', 'HEAD')).toBe(project.git('rev-parse', 'HEAD'));
    expect(project.gitIn(place.directory, 'status', '--porcelain')).toBe('?? untracked.txt\n');
  });

  test('a directory that is no repository is worked in directly', async () => {
    const project = new Project();
    project.write({ 'a.txt': 'one\n', 'sub/.gitignore': 'out/\n', 'sub/out/x': 'ignored\n' });
    const workspace = project.workspace({ dataDirectory: join(project.directory, '.data') });
    const base = valueOf(await workspace.snapshotOfDirectory());
    const place = valueOf(await workspace.open(taskA, base.id));
    expect(place.directory).toBe(project.directory);
    expect(valueOf(await place.snapshot()).id).toBe(base.id);
    expect(valueOf(await workspace.read(base.id).list('')).map((entry) => entry.path)).toEqual([
      'a.txt',
      'sub',
    ]);
    expect(valueOf(await workspace.read(base.id).list('sub')).map((entry) => entry.path)).toEqual([
      'sub/.gitignore',
    ]);
    project.write({ 'b.txt': 'new\n' });
    expect(valueOf(await place.compare(base.id)).equal).toBe(false);
    valueOf(await place.reset(base.id));
    expect(existsSync(join(project.directory, 'b.txt'))).toBe(false);
    expect(existsSync(join(project.directory, 'sub/out/x'))).toBe(true);
  });

  test('a repository without commits has an unborn branch in the worktree too', async () => {
    const project = new Project();
    project.git('init', '--quiet', '--initial-branch=main');
    project.write({ 'a.txt': 'one\n' });
    const workspace = project.workspace();
    const base = valueOf(await workspace.snapshotOfDirectory());
    const place = valueOf(await workspace.open(taskA, base.id));
    expect(project.gitIn(place.directory, 'status', '--porcelain', '--branch')).toBe(
      `## No commits yet on tribune/${taskA}\n?? a.txt\n`,
    );
    expect(valueOf(await place.snapshot()).id).toBe(base.id);
    project.commit(place.directory);
    valueOf(await place.reset(base.id));
    expect(project.gitIn(place.directory, 'status', '--porcelain')).toBe('?? a.txt\n');
    valueOf(await place.remove());
  });
});
