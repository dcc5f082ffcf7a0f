import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SnapshotId } from '../../../src/shared/vocabulary/ids.ts';
import type { Workspace } from '../../../src/main/ports/workspace.ts';
import { Project, failureOf, taskA, valueOf } from './project.ts';

async function approvedChange(
  project: Project,
  change: (directory: string) => void,
): Promise<{ workspace: Workspace; base: SnapshotId; approved: SnapshotId }> {
  const workspace = project.workspace();
  const base = valueOf(await workspace.snapshotOfDirectory()).id;
  const place = valueOf(await workspace.open(taskA, base));
  change(place.directory);
  return { workspace, base, approved: valueOf(await place.snapshot()).id };
}

function everything(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git'))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((file) => [relative(directory, file), readFileSync(file, 'utf8')]));
}

describe('apply', () => {
  const lines = (...changed: string[]): string =>
    Array.from({ length: 20 }, (_, at) => changed[at] ?? `line ${at}`).join('\n') + '\n';

  test('goes on top of what the person changed since, line by line', async () => {
    const project = Project.withFiles({ 'a.txt': lines(), 'b.txt': 'x\n', 'mine.txt': 'x\n' });
    const { workspace, base, approved } = await approvedChange(project, (directory) => {
      const changed = lines();
      project.write({ 'a.txt': changed.replace('line 1\n', 'theirs 1\n'), 'b.txt': 'y\n' }, directory);
      chmodSync(join(directory, 'a.txt'), 0o755);
    });
    project.write({
      'a.txt': lines().replace('line 18\n', 'mine 18\n'),
      'b.txt': 'y\n',
      'mine.txt': 'mine\n',
    });
    chmodSync(join(project.directory, 'a.txt'), 0o600);
    expect(valueOf(await workspace.apply(base, approved)).paths).toEqual(['a.txt']);
    expect(project.text('a.txt')).toBe(
      lines().replace('line 1\n', 'theirs 1\n').replace('line 18\n', 'mine 18\n'),
    );
    expect(statSync(join(project.directory, 'a.txt')).mode & 0o777).toBe(0o700);
    expect(project.text('mine.txt')).toBe('mine\n');
    expect(valueOf(await workspace.apply(base, approved)).paths).toEqual([]);
  });

  test.each([
    [
      'both changed the same line',
      (p: Project) => {
        p.write({ 'a.txt': 'mine\n' });
      },
      ['a.txt'],
    ],
    [
      'the person deleted what was changed',
      (p: Project) => {
        rmSync(join(p.directory, 'a.txt'));
      },
      ['a.txt'],
    ],
    [
      'the person changed what was deleted',
      (p: Project) => {
        p.write({ 'gone.txt': 'mine\n' });
      },
      ['gone.txt'],
    ],
    [
      'both made a file, differently',
      (p: Project) => {
        p.write({ 'new.txt': 'mine\n' });
      },
      ['new.txt'],
    ],
    [
      'a folder of the person is where a file would be',
      (p: Project) => {
        p.write({ 'new.txt/inside': 'mine\n' });
      },
      ['new.txt'],
    ],
    [
      'a file of the person is where a folder would be',
      (p: Project) => {
        p.write({ deep: 'mine\n' });
      },
      ['deep/new.txt'],
    ],
    [
      'an ignored file of the person is in the way',
      (p: Project) => {
        p.write({ '.git/info/exclude': 'new.txt\n', 'new.txt': 'mine\n' });
      },
      ['new.txt'],
    ],
    [
      'a binary file that both changed',
      (p: Project) => {
        p.write({ bin: 'mine\0' });
      },
      ['bin'],
    ],
  ])('refuses whole where %s', async (_, interfere, paths) => {
    const project = Project.withFiles({ 'a.txt': 'one\n', 'gone.txt': 'x\n', 'fine.txt': 'x\n', bin: 'a\0' });
    const { workspace, base, approved } = await approvedChange(project, (directory) => {
      project.write(
        {
          'a.txt': 'theirs\n',
          'new.txt': 'theirs\n',
          'fine.txt': 'theirs\n',
          'deep/new.txt': 'theirs\n',
          bin: 'theirs\0',
        },
        directory,
      );
      rmSync(join(directory, 'gone.txt'));
    });
    interfere(project);
    const before = everything(project.directory);
    const failure = failureOf(await workspace.apply(base, approved));
    expect(failure).toMatchObject({ tag: 'conflict', paths });
    expect(everything(project.directory)).toEqual(before);
  });

  test('names all that conflicts, and counts what is too much to name', async () => {
    const names = Array.from({ length: 53 }, (_, at) => `${String(at).padStart(2, '0')}.txt`);
    const all = (text: string): Record<string, string> =>
      Object.fromEntries(names.map((name) => [name, text]));
    const project = Project.withFiles(all('one\n'));
    const { workspace, base, approved } = await approvedChange(project, (directory) => {
      project.write(all('theirs\n'), directory);
    });
    project.write({ '07.txt': 'mine\n', '52.txt': 'mine\n' });
    expect(failureOf(await workspace.apply(base, approved)).message).toBe(
      'The approved content conflicts with the directory in 2 path(s): 07.txt, 52.txt. Nothing was changed.',
    );
    project.write(all('mine\n'));
    expect(failureOf(await workspace.apply(base, approved)).message).toContain(
      `in 53 path(s): ${names.slice(0, 50).join(', ')} and 3 more. Nothing`,
    );
  });

  test('is taken back when a part of it fails', async () => {
    const project = Project.withFiles({
      'a.txt': 'one\n',
      'gone/b.txt': 'x\n',
      '.gitignore': '.tribune-2-new\n',
    });
    const { workspace, base, approved } = await approvedChange(project, (directory) => {
      project.write({ 'a.txt': 'theirs\n', 'made/new.txt': 'theirs\n' }, directory);
      rmSync(join(directory, 'gone'), { recursive: true });
    });
    // A folder under the name that the third file would be prepared under.
    project.write({ 'made/.tribune-2-new/mine': 'x\n' });
    const before = everything(project.directory);
    const failure = failureOf(await workspace.apply(base, approved));
    expect(failure.message).toContain('nothing of it was kept');
    expect(everything(project.directory)).toEqual(before);
    rmSync(join(project.directory, 'made'), { recursive: true });
    expect(valueOf(await workspace.apply(base, approved)).paths).toEqual([
      'a.txt',
      'gone/b.txt',
      'made/new.txt',
    ]);
  });

  test('goes no way through a file that the person ignores', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n', '.gitignore': 'taken\n' });
    const { workspace, base, approved } = await approvedChange(project, (directory) => {
      project.write({ 'a.txt': 'theirs\n', 'taken/z.txt': 'x' }, directory);
      project.gitIn(directory, 'add', '--force', 'taken/z.txt');
    });
    project.write({ taken: 'mine\n' });
    expect(failureOf(await workspace.apply(base, approved))).toMatchObject({
      tag: 'conflict',
      paths: ['taken/z.txt'],
    });
    expect([project.text('taken'), project.text('a.txt')]).toEqual(['mine\n', 'one\n']);
  });

  test('that a kill cut short is taken back by the next call, but for what the person changed since', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'gone.txt': 'x\n' });
    const { workspace, base, approved } = await approvedChange(project, (directory) => {
      for (let at = 0; at < 400; at++) project.write({ [`many/${at}.txt`]: 'theirs\n' }, directory);
      project.write({ 'a.txt': 'theirs\n', 'b.txt': 'theirs\n' }, directory);
      rmSync(join(directory, 'gone.txt'));
    });
    await workspace.close();
    const before = everything(project.directory);
    const script = `
      import { createWorkspace } from ${JSON.stringify(resolve('src/main/workspaces/workspace.ts'))};
      const workspace = createWorkspace({ directory: process.argv[1], dataDirectory: process.argv[2], environment: process.env });
      console.log(JSON.stringify(await workspace.apply(process.argv[3], process.argv[4])));`;
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', script, project.directory, project.data, base, approved],
      { stdio: 'ignore' },
    );
    const exited = once(child, 'exit');
    const intent = join(project.data, 'apply/intent.json');
    const many = join(project.directory, 'many');
    while (!(existsSync(many) && readdirSync(many).length > 20)) await new Promise(setImmediate);
    child.kill('SIGKILL');
    await exited;
    expect(existsSync(intent)).toBe(true);
    expect(everything(project.directory)).not.toEqual(before);
    project.write({ 'b.txt': 'the person, since\n' });

    const later = project.workspace();
    const found = valueOf(await later.snapshotOfDirectory()).id;
    expect(everything(project.directory)).toEqual({ ...before, 'b.txt': 'the person, since\n' });
    expect(existsSync(many)).toBe(false);
    expect(valueOf(await later.read(found).read('gone.txt')).text).toBe('x\n');
    project.write({ 'b.txt': 'one\n' });
    expect(valueOf(await later.apply(base, approved)).paths).toHaveLength(403);
    expect(existsSync(intent)).toBe(false);
  });

  test("leaves the person's secrets and ignored files alone", async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n', '.gitignore': 'out/\n' });
    project.write({ '.env': 'KEY=1\n', 'out/x': 'mine\n' });
    const { workspace, base, approved } = await approvedChange(project, (directory) => {
      project.write({ 'a.txt': 'theirs\n' }, directory);
      mkdirSync(join(directory, 'out'));
      writeFileSync(join(directory, 'out/x'), 'theirs\n');
      writeFileSync(join(directory, '.env'), 'theirs\n');
    });
    expect(valueOf(await workspace.apply(base, approved)).paths).toEqual(['a.txt']);
    expect([project.text('.env'), project.text('out/x')]).toEqual(['KEY=1\n', 'mine\n']);
  });

  test('reads an intent that an earlier version wrote', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n' });
    const workspace = project.workspace();
    const base = valueOf(await workspace.snapshotOfDirectory()).id;
    const after = { mode: '100644', object: project.git('rev-parse', 'HEAD:a.txt').trim() };
    const change = { path: 'made/b.txt', temporary: 'made/.tribune-0-new', before: null, after };
    project.write({ 'made/b.txt': 'one\n', 'made/.tribune-0-new': 'half' });
    mkdirSync(join(project.data, 'apply'), { recursive: true });
    writeFileSync(join(project.data, 'apply/intent.json'), JSON.stringify({ changes: [change] }));
    expect(valueOf(await workspace.snapshotOfDirectory()).id).toBe(base);
    expect(existsSync(join(project.directory, 'made'))).toBe(false);
  });
});
