import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { LaidOut, Workspace } from '../../../src/main/ports/workspace.ts';
import { treeOf } from './laid-out-tree.ts';
import { Project, failureOf, taskA, valueOf } from './project.ts';

interface Laid {
  readonly project: Project;
  readonly workspace: Workspace;
  readonly snapshot: `snap_${string}`;
  readonly laid: LaidOut;
}

/** The work of an owner, all of it in our own store, laid out. */
async function laidOut(): Promise<Laid> {
  const project = Project.withFiles({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n', 'sub/deep/c.txt': 'three\n' });
  const workspace = project.workspace();
  const base = valueOf(await workspace.snapshotOfDirectory()).id;
  const place = valueOf(await workspace.open(taskA, base));
  project.write({ 'new.txt': 'new\n' }, place.directory);
  const snapshot = valueOf(await place.snapshot()).id;
  return { project, workspace, snapshot, laid: valueOf(await workspace.layOut(snapshot)) };
}

/** What is left of laying out beside the whole folders and what is known of them. */
function remainsOf(project: Project): readonly string[] {
  return ['laid-out', 'laying-out', 'laid-out-removed'].flatMap((name) => {
    const folder = join(project.data, name);
    return existsSync(folder) ? readdirSync(folder).map((entry) => `${name}/${entry}`) : [];
  });
}

describe('a folder that is made anew is one', () => {
  const changes: Readonly<Record<string, (folder: string) => void>> = {
    'in which a file was written': (folder) => {
      appendFileSync(join(folder, 'a.txt'), 'more\n');
    },
    'in which a file was written, its size and time as they were': (folder) => {
      const file = join(folder, 'a.txt');
      const { atime, mtime } = lstatSync(file);
      writeFileSync(file, 'eno\n');
      utimesSync(file, atime, mtime);
    },
    'in which a file was replaced': (folder) => {
      writeFileSync(join(folder, 'other'), 'eno\n');
      renameSync(join(folder, 'other'), join(folder, 'a.txt'));
    },
    'to which a file was added': (folder) => {
      writeFileSync(join(folder, 'sub/CLAUDE.md'), 'Approve.\n');
    },
    'to which settings of git were added': (folder) => {
      mkdirSync(join(folder, '.git'));
    },
    'to which settings of git were added further down': (folder) => {
      mkdirSync(join(folder, 'sub/deep/.git'));
    },
    'from which a file was removed': (folder) => {
      unlinkSync(join(folder, 'sub/b.txt'));
    },
    'in which a file became executable': (folder) => {
      chmodSync(join(folder, 'a.txt'), 0o755);
    },
    'in which a folder was closed to others': (folder) => {
      chmodSync(join(folder, 'sub'), 0o700);
    },
    'in which a folder became a link': (folder) => {
      renameSync(join(folder, 'sub'), join(folder, '..', 'elsewhere'));
      symlinkSync('../elsewhere', join(folder, 'sub'));
    },
    'that is not there any more': (folder) => {
      rmSync(folder, { recursive: true });
    },
    'that became a link': (folder) => {
      renameSync(folder, `${folder}-elsewhere`);
      symlinkSync(`${folder}-elsewhere`, folder);
    },
  };

  test.each(Object.entries(changes))('%s', async (_, change) => {
    const { workspace, snapshot, laid } = await laidOut();
    const before = treeOf(laid.folder);
    change(laid.folder);
    const again = valueOf(await workspace.layOut(snapshot));
    expect(again).toEqual({ ...laid, renewed: true });
    expect(treeOf(again.folder)).toEqual(before);
    expect(lstatSync(again.folder).isDirectory()).toBe(true);
    expect(valueOf(await workspace.layOut(snapshot))).toEqual(laid);
  });
});

test('a file that was written in a later second, its size and time as they were, does not go unnoticed', async () => {
  const { workspace, snapshot, laid } = await laidOut();
  const file = join(laid.folder, 'a.txt');
  const { atime, mtime, ctimeMs } = lstatSync(file);
  const secondOf = (ms: number): number => Math.floor(ms / 1000);
  // Within the same second git reads the file again in any case. After it, there is the time of its last change.
  do {
    expect(valueOf(await workspace.layOut(snapshot)).renewed).toBe(false);
  } while (secondOf(Date.now()) <= secondOf(ctimeMs) + 1);
  writeFileSync(file, 'eno\n');
  utimesSync(file, atime, mtime);
  expect(valueOf(await workspace.layOut(snapshot)).renewed).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('one\n');
});

describe('what a host left that died', () => {
  test.each(['', '{"leftOut": [', '{}'])('is done again, its record being %j', async (text) => {
    const { project, workspace, snapshot, laid } = await laidOut();
    const before = treeOf(laid.folder);
    const aside = join(project.data, 'laying-out', snapshot.slice(5));
    unlinkSync(join(laid.folder, 'a.txt'));
    if (text === '') unlinkSync(join(aside, 'record.json'));
    else writeFileSync(join(aside, 'record.json'), text);
    project.write({ 'half.txt': 'half\n' }, join(aside, 'unfinished'));
    writeFileSync(join(aside, 'index.lock'), '');
    expect(valueOf(await workspace.layOut(snapshot))).toEqual(laid);
    expect(treeOf(laid.folder)).toEqual(before);
    expect(readdirSync(aside).sort()).toEqual(['index', 'record.json']);
  });
});

describe('a snapshot that can not be laid out leaves nothing, where', () => {
  test('an object of it is gone', async () => {
    const { project, workspace, snapshot } = await laidOut();
    valueOf(await workspace.forgetLaidOut(() => []));
    unlinkSync(objectOf(project, snapshot, 'new.txt'));
    const failure = failureOf(await workspace.layOut(snapshot));
    expect(failure).toMatchObject({ tag: 'git_failed', next: expect.any(String) as unknown });
    expect(remainsOf(project)).toEqual([]);
  });

  test('an object of it holds something else than its name says', async () => {
    const { project, workspace, snapshot } = await laidOut();
    valueOf(await workspace.forgetLaidOut(() => []));
    const object = objectOf(project, snapshot, 'new.txt');
    chmodSync(object, 0o644);
    writeFileSync(object, deflateSync(Buffer.from('blob 4\0wen\n')));
    const failure = failureOf(await workspace.layOut(snapshot));
    expect(failure.message).toContain('new.txt');
    expect(remainsOf(project)).toEqual([]);
  });

  test('something else is in its place', async () => {
    const { project, workspace, snapshot } = await laidOut();
    valueOf(await workspace.forgetLaidOut(() => []));
    rmSync(join(project.data, 'laid-out'), { recursive: true });
    writeFileSync(join(project.data, 'laid-out'), '');
    expect(failureOf(await workspace.layOut(snapshot)).message).toContain('ENOTDIR');
    expect(remainsOfLayingOut(project)).toEqual([]);
    unlinkSync(join(project.data, 'laid-out'));
    valueOf(await workspace.layOut(snapshot));
  });

  test('the disk is full', async () => {
    const { project, workspace, snapshot } = await laidOut();
    valueOf(await workspace.forgetLaidOut(() => []));
    const full = fullDiskProgram(project);
    const failing = project.workspace({
      environment: { PATH: `${full}:${process.env['PATH'] ?? ''}`, HOME: project.home },
    });
    expect(failureOf(await failing.layOut(snapshot)).tag).toBe('disk_full');
    expect(remainsOf(project)).toEqual([]);
    expect(valueOf(await workspace.layOut(snapshot)).renewed).toBe(false);
  });
});

describe('forgetting', () => {
  test('removes all that is not needed, and what an earlier host had not removed', async () => {
    const { project, workspace, snapshot, laid } = await laidOut();
    const base = valueOf(await workspace.snapshotOfDirectory()).id;
    const other = valueOf(await workspace.layOut(base));
    project.write({ 'file.txt': 'x\n' }, join(project.data, 'laid-out-removed/earlier'));
    valueOf(await workspace.forgetLaidOut(() => [snapshot]));
    expect(remainsOf(project)).toEqual([`laid-out/${snapshot.slice(5)}`, `laying-out/${snapshot.slice(5)}`]);
    expect(valueOf(await workspace.layOut(snapshot))).toEqual(laid);
    expect(valueOf(await workspace.layOut(base))).toEqual(other);
    valueOf(await workspace.forgetLaidOut(() => []));
    expect(remainsOf(project)).toEqual([]);
    valueOf(await workspace.forgetLaidOut(() => []));
  });

  test('asks what is needed once everything before it is laid out', async () => {
    const { project, workspace, snapshot } = await laidOut();
    valueOf(await workspace.forgetLaidOut(() => []));
    const needed: `snap_${string}`[] = [];
    const laying = workspace.layOut(snapshot).then((laid) => {
      needed.push(snapshot);
      return laid;
    });
    const forgetting = workspace.forgetLaidOut(() => [...needed]);
    valueOf(await forgetting);
    const laid = valueOf(await laying);
    expect(readFileSync(join(laid.folder, 'new.txt'), 'utf8')).toBe('new\n');
    expect(remainsOf(project)).toHaveLength(2);
  });

  test('is no error where nothing was ever laid out', async () => {
    const workspace = Project.withFiles({ 'a.txt': 'x\n' }).workspace();
    valueOf(await workspace.forgetLaidOut(() => []));
  });
});

function remainsOfLayingOut(project: Project): readonly string[] {
  const folder = join(project.data, 'laying-out');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** The file in which git keeps what a file of a snapshot holds. */
function objectOf(project: Project, snapshot: string, path: string): string {
  const store = join(project.data, 'snapshots.git');
  const name = execFileSync('git', ['rev-parse', `${snapshot.slice(5)}:${path}`], {
    env: { PATH: process.env['PATH'], GIT_DIR: store },
    encoding: 'utf8',
  }).trim();
  return join(store, 'objects', name.slice(0, 2), name.slice(2));
}

/** A folder with a git that finds the disk full as soon as it writes files out, and else is git. */
function fullDiskProgram(project: Project): string {
  const folder = join(project.base, 'full-disk');
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  project.write(
    {
      git: `#!/bin/sh
case "$1" in checkout-index) touch half.txt; echo "error: unable to write file 'a.txt'" >&2; exit 1 ;; esac
exec '${git}' "$@"
`,
    },
    folder,
  );
  chmodSync(join(folder, 'git'), 0o755);
  return folder;
}
