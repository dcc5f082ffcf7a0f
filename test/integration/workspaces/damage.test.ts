import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Workspace } from '../../../src/main/ports/workspace.ts';
import { Project, failureOf, taskA, valueOf } from './project.ts';

/** A task whose owner has written something. */
async function taskWithWork(
  project: Project,
): Promise<{ workspace: Workspace; base: `snap_${string}`; work: string; record: string }> {
  const workspace = project.workspace();
  const base = valueOf(await workspace.snapshotOfDirectory()).id;
  const { directory } = valueOf(await workspace.open(taskA, base));
  const work = join(directory, 'work.txt');
  writeFileSync(work, 'hours of it\n');
  return { workspace, base, work, record: join(project.data, 'tasks', taskA, 'record.json') };
}

describe("an owner's work is kept where its record", () => {
  const project = (): Project => Project.withFiles({ 'a.txt': 'one\n' });

  test('can not be read', async () => {
    const { workspace, base, work, record } = await taskWithWork(project());
    const text = readFileSync(record);
    rmSync(record);
    mkdirSync(record);
    expect(failureOf(await workspace.open(taskA, base)).message).toContain('EISDIR');
    rmSync(record, { recursive: true });
    writeFileSync(record, text);
    valueOf(await workspace.open(taskA, base));
    expect(readFileSync(work, 'utf8')).toBe('hours of it\n');
  });

  test.each(['', '{"directory": "/half', '{}'])('is damaged: %j', async (text) => {
    const { workspace, base, work, record } = await taskWithWork(project());
    writeFileSync(record, text);
    expect(failureOf(await workspace.open(taskA, base))).toMatchObject({
      message: expect.stringContaining(`${record} is damaged`) as unknown,
      next: expect.stringContaining('remove this file') as unknown,
    });
    expect(readFileSync(work, 'utf8')).toBe('hours of it\n');
    // What the failure says to do helps.
    rmSync(record);
    valueOf(await workspace.open(taskA, base));
  });
});

test.each([
  ['unreadable', (intent: string) => mkdirSync(intent, { recursive: true })],
  [
    'damaged',
    (intent: string) => {
      mkdirSync(dirname(intent), { recursive: true });
      writeFileSync(intent, '{"changes": [');
    },
  ],
])('an apply that may be unfinished is not forgotten where its intent is %s', async (_, spoil) => {
  const project = Project.withFiles({ 'a.txt': 'one\n' });
  const intent = join(project.data, 'apply', 'intent.json');
  spoil(intent);
  const failure = failureOf(await project.workspace().snapshotOfDirectory());
  expect(failure.message).toMatch(/intent\.json is damaged|EISDIR/);
  rmSync(intent, { recursive: true });
  valueOf(await project.workspace().snapshotOfDirectory());
});

test('a store that can not be looked into is not made anew', async () => {
  const project = Project.withFiles({ 'a.txt': 'one\n' });
  const { base } = await taskWithWork(project);
  const info = join(project.data, 'snapshots.git', 'info');
  rmSync(info, { recursive: true });
  symlinkSync('info', info);
  expect(failureOf(await project.workspace().snapshotOfDirectory()).message).toContain('ELOOP');
  rmSync(info);
  mkdirSync(info);
  writeFileSync(join(info, 'attributes'), '');
  expect(valueOf(await project.workspace().read(base).read('a.txt')).text).toBe('one\n');
});

test.each([
  ['the file system refused', 'refs/kept'],
  ['git failed', 'objects/pack'],
])('what a snapshot borrows is copied by the next call, where before %s', async (_, name) => {
  const project = Project.withFiles({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const workspace = project.workspace();
  const base = valueOf(await workspace.snapshotOfDirectory()).id;
  const folder = join(project.data, 'snapshots.git', name);
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, 'in its place');
  const place = valueOf(await workspace.open(taskA, base));
  project.write({ 'a.txt': 'changed\n', 'b.txt': 'changed\n' }, place.directory);
  valueOf(await place.snapshot());
  rmSync(folder);
  valueOf(await place.snapshot());
  await workspace.close();
  rmSync(join(project.directory, '.git'), { recursive: true });
  expect(valueOf(await project.workspace().read(base).read('b.txt')).text).toBe('two\n');
});

describe('an ignore file', () => {
  test('that can not be read is named', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n' });
    mkdirSync(join(project.home, '.config/git/ignore'), { recursive: true });
    expect(failureOf(await project.workspace().snapshotOfDirectory()).message).toContain('EISDIR');
  });

  test('that is a link or a folder says nothing, as for git', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n', 'sub/.gitignore': 'a.log\n' });
    // Whoever reads this to its end never ends.
    symlinkSync('/dev/zero', join(project.directory, '.gitignore'));
    const workspace = project.workspace();
    valueOf(await workspace.snapshotOfDirectory());
    rmSync(join(project.directory, 'sub/.gitignore'));
    project.write({ 'sub/.gitignore/x': 'x\n', 'sub/a.log': 'x\n' });
    const snapshot = valueOf(await workspace.snapshotOfDirectory()).id;
    const names = valueOf(await workspace.read(snapshot).list('sub')).map(({ path }) => path);
    expect(names).toEqual(['sub/.gitignore', 'sub/a.log']);
  });
});
