import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OpenWorkspace, Workspace } from '../../../src/main/ports/workspace.ts';
import { failureOf, Project, taskA, taskB, valueOf } from './project.ts';

async function opened(
  project: Project,
): Promise<{ workspace: Workspace; base: `snap_${string}`; place: OpenWorkspace }> {
  const workspace = project.workspace();
  const base = valueOf(await workspace.snapshotOfDirectory()).id;
  return { workspace, base, place: valueOf(await workspace.open(taskA, base)) };
}

/** Plants a program everywhere that git would run one from; each leaves its name in the canary file. */
function plantPrograms(project: Project): string {
  const canary = join(project.base, 'canary');
  const program = (name: string): string => {
    const file = join(project.base, `evil-${name}`);
    writeFileSync(file, `#!/bin/sh\necho ${name} >> '${canary}'\ncat\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const hooks = [
    'post-checkout',
    'post-index-change',
    'reference-transaction',
    'pre-commit',
    'post-commit',
    'fsmonitor-watchman',
    'pre-auto-gc',
    'post-rewrite',
    'proc-receive',
    'sendemail-validate',
  ];
  for (const folder of [join(project.directory, '.git/hooks'), join(project.base, 'hooks')]) {
    mkdirSync(folder, { recursive: true });
    for (const hook of hooks) {
      writeFileSync(join(folder, hook), `#!/bin/sh\necho ${hook} >> '${canary}'\n`);
      chmodSync(join(folder, hook), 0o755);
    }
  }
  const settings: Record<string, string> = {
    'core.fsmonitor': program('fsmonitor'),
    'core.pager': program('pager'),
    'core.sshCommand': program('ssh'),
    'core.alternateRefsCommand': program('alternate-refs'),
    'core.askPass': program('askpass'),
    'core.editor': program('editor'),
    'diff.external': program('external-diff'),
    'diff.evil.textconv': program('textconv'),
    'diff.evil.command': program('diff-command'),
    'filter.evil.clean': program('clean'),
    'filter.evil.smudge': program('smudge'),
    'filter.evil.process': program('process'),
    'filter.evil.required': 'true',
    'merge.evil.driver': program('merge-driver'),
    'uploadpack.packObjectsHook': program('pack-objects-hook'),
    'gpg.program': program('gpg'),
    'commit.gpgSign': 'true',
    'log.showSignature': 'true',
    'remote.evil.url': `ext::${program('remote')}`,
    'remote.evil.promisor': 'true',
    'remote.evil.partialclonefilter': 'blob:none',
    'remote.evil.uploadpack': program('uploadpack'),
    'extensions.partialClone': 'evil',
    'alias.ls-files': `!${program('alias')}`,
  };
  for (const [name, value] of Object.entries(settings)) project.git('config', name, value);
  return canary;
}

describe('a repository that attacks', () => {
  test('nothing of it is ever executed', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' });
    project.write({ '.gitattributes': '* filter=evil diff=evil merge=evil text eol=crlf ident\n' });
    const canary = plantPrograms(project);
    project.git('config', 'core.hooksPath', join(project.base, 'hooks'));
    // An object that is missing, so that a partial clone would fetch it.
    const blob = project.git('rev-parse', 'HEAD:c.txt').trim();
    rmSync(join(project.directory, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true });

    const { workspace, base, place } = await opened(project);
    valueOf(await workspace.inspect());
    valueOf(await place.files.write('a.txt', 'one\nmore\n'));
    project.write({ '.git/hooks/post-checkout': `#!/bin/sh\ntouch '${canary}'\n` });
    const approved = valueOf(await place.snapshot()).id;
    valueOf(await place.compare(approved));
    const diff = valueOf(await workspace.diff(base, approved));
    expect(diff.files[0]).toMatchObject({ path: 'a.txt', binary: false, additions: 1 });
    valueOf(await place.files.search('one', ''));
    valueOf(await workspace.read(approved).search('one', ''));
    project.write({ 'b.txt': 'the person\n' });
    valueOf(await workspace.apply(base, approved));
    valueOf(await place.reset(base));
    valueOf(await place.remove());
    valueOf(await workspace.open(taskB, approved));
    await workspace.close();
    expect(existsSync(canary) ? readFileSync(canary, 'utf8') : '').toBe('');
    // The trap is a trap: the person's own git would run it.
    try {
      project.git('status');
    } catch {
      // The planted filter is no good filter.
    }
    expect(existsSync(canary)).toBe(true);
  });

  test('an object that is missing is not fetched, for that would run a program', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' });
    const canary = join(project.base, 'canary');
    const program = join(project.base, 'evil');
    writeFileSync(program, `#!/bin/sh\ntouch '${canary}'\n`);
    chmodSync(program, 0o755);
    const settings: Record<string, string> = {
      'core.repositoryFormatVersion': '1',
      'extensions.partialClone': 'evil',
      'remote.evil.url': project.base,
      'remote.evil.promisor': 'true',
      'remote.evil.partialclonefilter': 'tree:0',
      'remote.evil.uploadpack': program,
    };
    for (const [name, value] of Object.entries(settings)) project.git('config', name, value);
    const tree = project.git('rev-parse', 'HEAD:sub').trim();
    rmSync(join(project.directory, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    const workspace = project.workspace();
    const base = valueOf(await workspace.snapshotOfDirectory()).id;
    expect(failureOf(await workspace.open(taskA, base)).tag).toBe('git_failed');
    expect(existsSync(canary)).toBe(false);
    expect(() => project.git('ls-tree', '-r', 'HEAD')).toThrow();
    expect(existsSync(canary)).toBe(true);
  });

  test('attributes neither convert bytes nor hide a change from the diff', async () => {
    const project = Project.withFiles({ 'a.js': 'one\n', 'b.js': 'one\n' });
    const { workspace, base, place } = await opened(project);
    const bytes = '$Id: kept $\r\none\r\n';
    project.write(
      {
        '.gitattributes': '*.js -diff ident text eol=crlf\n[attr]hidden -diff -text\nb.js hidden\n',
        'a.js': bytes,
        'b.js': 'evil()\n',
        'sub/.gitattributes': '* binary\n',
        'sub/c.js': 'evil()\n',
      },
      place.directory,
    );
    const approved = valueOf(await place.snapshot()).id;
    const diff = valueOf(await workspace.diff(base, approved));
    expect(diff.files.map((file) => [file.path, file.binary, file.hunks.length])).toEqual([
      ['.gitattributes', false, 1],
      ['a.js', false, 1],
      ['b.js', false, 1],
      ['sub/.gitattributes', false, 1],
      ['sub/c.js', false, 1],
    ]);
    valueOf(await workspace.apply(base, approved));
    expect(project.text('a.js')).toBe(bytes);
    const next = valueOf(await workspace.open(taskB, approved));
    expect(readFileSync(join(next.directory, 'a.js'), 'utf8')).toBe(bytes);
  });

  test('ignore rules edited during the task hide nothing', async () => {
    const project = Project.withFiles({ '.gitignore': '*.log\n', 'a.txt': 'x\n' });
    const { base, place, workspace } = await opened(project);
    project.write({ 'evil.js': 'evil()\n', '.gitignore': '*\n' }, place.directory);
    appendFileSync(join(project.directory, '.git/info/exclude'), 'evil.js\n');
    project.write({ everything: '*\n' }, project.base);
    project.git('config', 'core.excludesFile', join(project.base, 'everything'));
    project.write({ '.config/git/ignore': '*\n' }, project.home);
    const snapshot = valueOf(await place.snapshot()).id;
    expect(valueOf(await workspace.read(snapshot).read('evil.js')).text).toBe('evil()\n');
    const again = project.workspace();
    expect(valueOf(await valueOf(await again.open(taskA, base)).compare(snapshot)).equal).toBe(true);
  });

  test('a worktree whose links to the repository were turned elsewhere', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n' });
    const other = Project.withFiles({ 'secret.txt': 'x\n' });
    const { base, place } = await opened(project);
    writeFileSync(join(place.directory, '.git'), `gitdir: ${other.directory}/.git\n`);
    const snapshot = valueOf(await place.snapshot()).id;
    expect(snapshot).toBe(base);
    valueOf(await place.reset(base));
    expect(other.git('branch', '--list').trim()).toBe('* main');
    expect(project.gitIn(place.directory, 'status', '--porcelain')).toBe('');
    rmSync(join(place.directory, '.git'));
    rmSync(join(project.directory, '.git/worktrees'), { recursive: true });
    valueOf(await place.reset(base));
    expect(project.gitIn(place.directory, 'branch', '--show-current').trim()).toBe(`tribune/${taskA}`);
  });
});

describe('the finishing comparison is not fooled', () => {
  test('by assume-unchanged and skip-worktree, or by a commit beside a restored worktree', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const { place, base } = await opened(project);
    project.gitIn(place.directory, 'update-index', '--assume-unchanged', 'a.txt');
    project.gitIn(place.directory, 'update-index', '--skip-worktree', 'b.txt');
    project.write({ 'a.txt': 'evil\n', 'b.txt': 'evil\n' }, place.directory);
    const hidden = valueOf(await place.compare(base));
    expect(hidden.equal).toBe(false);
    project.write({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, place.directory);
    expect(valueOf(await place.compare(base)).equal).toBe(true);

    project.write({ 'c.txt': 'never seen\n' }, place.directory);
    project.commit(place.directory);
    rmSync(join(place.directory, 'c.txt'));
    expect(valueOf(await place.compare(base))).toMatchObject({ equal: true, snapshot: { id: base } });
  });

  test('by a stat cache that an agent made stale', async () => {
    const project = Project.withFiles({ 'a.txt': 'good\n' });
    const { place } = await opened(project);
    const file = join(place.directory, 'a.txt');
    const approved = valueOf(await place.snapshot()).id;
    const facts = statSync(file);
    writeFileSync(file, 'evil\n');
    utimesSync(file, facts.atime, facts.mtime);
    // The strongest form: our own index says that exactly this file, as it is now, is the approved one.
    const index = join(project.data, 'tasks', taskA, 'index');
    const store = {
      GIT_DIR: join(project.data, 'snapshots.git'),
      GIT_WORK_TREE: place.directory,
      GIT_INDEX_FILE: index,
    };
    const good = readFileSync(index);
    execFileSync('git', ['update-index', '--add', 'a.txt'], {
      cwd: place.directory,
      env: { PATH: process.env['PATH'], ...store },
    });
    const object = (text: string): Buffer =>
      Buffer.from(
        execFileSync('git', ['hash-object', '--stdin'], { input: text, encoding: 'utf8' }).trim(),
        'hex',
      );
    const forged = readFileSync(index);
    const at = forged.indexOf(object('evil\n'));
    expect(at).toBeGreaterThan(0);
    object('good\n').copy(forged, at);
    execFileSync(
      'python3',
      [
        '-c',
        'import sys,hashlib;p=sys.argv[1];d=bytes.fromhex(sys.stdin.read());open(p,"wb").write(d[:-20]+hashlib.sha1(d[:-20]).digest())',
        index,
      ],
      { input: forged.toString('hex') },
    );
    expect(readFileSync(index).equals(good)).toBe(false);
    expect(valueOf(await place.compare(approved)).equal).toBe(false);
    expect(valueOf(await place.snapshot()).id).not.toBe(approved);
  });

  test('by an object that was planted in the repository under the name of other bytes', async () => {
    const project = Project.withFiles({ 'a.txt': 'good\n' });
    const { place, workspace } = await opened(project);
    project.write({ 'a.txt': 'evil\n' }, place.directory);
    const name = execFileSync('git', ['hash-object', '--stdin'], {
      input: 'evil\n',
      encoding: 'utf8',
    }).trim();
    const benign = execFileSync('git', ['hash-object', '-w', '--stdin'], {
      input: 'good\n',
      encoding: 'utf8',
      cwd: project.directory,
    }).trim();
    const objects = join(project.directory, '.git/objects');
    mkdirSync(join(objects, name.slice(0, 2)), { recursive: true });
    writeFileSync(
      join(objects, name.slice(0, 2), name.slice(2)),
      readFileSync(join(objects, benign.slice(0, 2), benign.slice(2))),
    );
    const snapshot = valueOf(await place.snapshot()).id;
    expect(valueOf(await workspace.read(snapshot).read('a.txt')).text).toBe('evil\n');
  });

  test('and snapshots stay readable when the repository loses its objects', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const { place, workspace, base } = await opened(project);
    project.write({ 'a.txt': 'changed\n' }, place.directory);
    project.commit(place.directory);
    const changed = valueOf(await place.snapshot()).id;
    rmSync(join(project.directory, '.git'), { recursive: true });
    await workspace.close();
    const later = project.workspace();
    expect(valueOf(await later.read(base).read('b.txt')).text).toBe('two\n');
    expect(valueOf(await later.diff(base, changed)).files).toHaveLength(1);
  });

  test('a spoiled index is made anew', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n' });
    const { place, base, workspace } = await opened(project);
    writeFileSync(join(project.data, 'tasks', taskA, 'index'), 'spoiled');
    writeFileSync(join(project.data, 'tasks', taskA, 'index.lock'), '');
    expect(valueOf(await place.snapshot()).id).toBe(base);
    writeFileSync(join(project.data, 'directory/index'), 'spoiled');
    expect(valueOf(await workspace.snapshotOfDirectory()).id).toBe(base);
  });
});

describe('links that lead out', () => {
  test('are not followed by an apply', async () => {
    const project = Project.withFiles({ 'dir/a.txt': 'one\n', 'b.txt': 'x\n' });
    const outside = join(project.base, 'outside');
    mkdirSync(outside);
    const { place, base, workspace } = await opened(project);
    project.write({ 'dir/new.txt': 'x\n', 'b.txt': 'y\n', 'fresh/new.txt': 'x\n' }, place.directory);
    const approved = valueOf(await place.snapshot()).id;
    // The person's own ignored link is in the place of a folder that the apply would make.
    appendFileSync(join(project.directory, '.git/info/exclude'), 'fresh\n');
    symlinkSync(outside, join(project.directory, 'fresh'));
    const result = await workspace.apply(base, approved);
    expect(result).toMatchObject({ ok: false, failure: { tag: 'conflict', paths: ['fresh/new.txt'] } });
    expect(project.text('b.txt')).toBe('x\n');
    expect(existsSync(join(project.directory, 'dir/new.txt'))).toBe(false);
    expect(existsSync(join(outside, 'new.txt'))).toBe(false);
  });
});
