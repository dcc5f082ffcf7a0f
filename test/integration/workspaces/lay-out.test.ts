import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LaidOut, Workspace } from '../../../src/main/ports/workspace.ts';
import { treeOf } from './laid-out-tree.ts';
import { Project, failureOf, taskA, valueOf } from './project.ts';

async function laidOut(
  project: Project,
): Promise<{ workspace: Workspace; snapshot: `snap_${string}`; laid: LaidOut }> {
  const workspace = project.workspace();
  const snapshot = valueOf(await workspace.snapshotOfDirectory()).id;
  return { workspace, snapshot, laid: valueOf(await workspace.layOut(snapshot)) };
}

describe('a snapshot that is laid out', () => {
  test('has every name, byte and executable bit of it, and its links as links', async () => {
    const project = Project.withFiles({ 'plain.txt': 'x\n' });
    const at = (name: string): string => join(project.directory, name);
    for (const name of [' lead and trail ', 'new\nline', '--all', 'quo"te\'s', 'back\\slash', '*', 'é']) {
      writeFileSync(at(name), name);
    }
    writeFileSync(Buffer.concat([Buffer.from(at('f')), Buffer.from([0xff, 0xfe])]), 'odd');
    writeFileSync(at('bytes'), Buffer.from([0, 13, 10, 255, 10]));
    writeFileSync(at('empty'), '');
    writeFileSync(at('run.sh'), '#!/bin/sh\n');
    chmodSync(at('run.sh'), 0o755);
    project.write({ 'case/Name.txt': 'upper\n', 'case/name.txt': 'lower\n' });
    const deep = `${'folder-with-a-long-name/'.repeat(100)}end.txt`;
    project.write({ [deep]: 'deep\n' });
    symlinkSync('plain.txt', at('link'));
    symlinkSync('nowhere', at('dangling'));
    symlinkSync('../plain.txt', at('case/up'));

    const { laid } = await laidOut(project);
    expect(laid).toMatchObject({ leftOut: [], linksLeftOut: [], renewed: false });
    expect(dirname(laid.folder)).toBe(laid.directory);
    expect(treeOf(laid.folder)).toEqual(treeOf(project.directory, ['.git']));
    expect(readFileSync(join(laid.folder, deep), 'utf8')).toBe('deep\n');
    expect(readlinkSync(join(laid.folder, 'case/up'))).toBe('../plain.txt');
  });

  test('holds what the owner made of the work, untracked files too', async () => {
    const project = Project.withFiles({ 'a.txt': 'one\n', 'gone.txt': 'x\n' });
    const { workspace, snapshot } = await laidOut(project);
    const place = valueOf(await workspace.open(taskA, snapshot));
    project.write({ 'a.txt': 'two\n', 'new/b.txt': 'new\n' }, place.directory);
    execFileSync('rm', [join(place.directory, 'gone.txt')]);
    const work = valueOf(await place.snapshot()).id;
    const laid = valueOf(await workspace.layOut(work));
    expect(treeOf(laid.folder)).toEqual(treeOf(place.directory, ['.git']));
  });

  test('is not converted, and runs nothing, whatever the project says', async () => {
    const project = Project.withFiles({ 'a.txt': '$Id: kept $\r\none\r\n' });
    const canary = join(project.base, 'canary');
    project.write({ '.gitattributes': '* text eol=crlf ident filter=evil\nhidden.txt export-ignore\n' });
    project.write({ 'hidden.txt': 'seen\n' });
    project.git('config', 'filter.evil.smudge', `touch '${canary}'; cat`);
    project.git('config', 'core.fsmonitor', `touch '${canary}'`);
    project.write({ '.git/hooks/post-checkout': `#!/bin/sh\ntouch '${canary}'\n` });
    chmodSync(join(project.directory, '.git/hooks/post-checkout'), 0o755);
    const { laid } = await laidOut(project);
    expect(treeOf(laid.folder)).toEqual(treeOf(project.directory, ['.git']));
    expect(existsSync(canary)).toBe(false);
    // The trap is a trap.
    project.git('checkout', '--', '.');
    expect(existsSync(canary)).toBe(true);
  });

  test("can be read by others, whatever the person's umask", async () => {
    const before = process.umask(0o077);
    onTestFinished(() => {
      process.umask(before);
    });
    const project = Project.withFiles({ 'sub/a.txt': 'x\n' });
    writeFileSync(join(project.directory, 'sub/run.sh'), '', { mode: 0o700 });
    symlinkSync('sub', join(project.directory, 'link'));
    const { workspace, snapshot, laid } = await laidOut(project);
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    expect([laid.directory, laid.folder, join(laid.folder, 'sub')].map(modeOf)).toEqual([
      '755',
      '755',
      '755',
    ]);
    expect(modeOf(join(laid.folder, 'sub/a.txt'))).toBe('644');
    expect(modeOf(join(laid.folder, 'sub/run.sh'))).toBe('755');
    expect(valueOf(await workspace.layOut(snapshot)).renewed).toBe(false);
  });

  test('is the same folder the next time, for another host too', async () => {
    const project = Project.withFiles({ 'a.txt': 'x\n' });
    const { workspace, snapshot, laid } = await laidOut(project);
    const { ino } = statSync(laid.folder);
    expect(valueOf(await workspace.layOut(snapshot))).toEqual(laid);
    expect(valueOf(await project.workspace().layOut(snapshot))).toEqual(laid);
    const [one, other] = await Promise.all([workspace.layOut(snapshot), workspace.layOut(snapshot)]);
    expect([valueOf(one), valueOf(other)]).toEqual([laid, laid]);
    expect(statSync(laid.folder).ino).toBe(ino);
  });

  test('may be empty', async () => {
    const project = new Project();
    const { laid } = await laidOut(project);
    expect(treeOf(laid.folder)).toEqual({});
  });

  test('has to be there', async () => {
    const { workspace } = await laidOut(Project.withFiles({ 'a.txt': 'x\n' }));
    expect(failureOf(await workspace.layOut(`snap_${'0'.repeat(40)}`)).tag).toBe('unknown_snapshot');
  });
});

describe('left out is', () => {
  test('every file that looks like a secret, tracked ones too, and it is named', async () => {
    const secrets = [
      '.ENV.local',
      '.env',
      'deploy/Server.KEY',
      'deep/er/.ssh/config',
      'id_rsa',
      'new\nline.pem',
    ];
    const project = Project.withFiles(Object.fromEntries(secrets.map((name) => [name, 'canary\n'])));
    project.write({ '.env.example': 'TOKEN=\n', 'a.txt': 'x\n' });
    symlinkSync('.env', join(project.directory, 'alias'));
    symlinkSync('a.txt', join(project.directory, 'linked.key'));
    project.commit();
    const { workspace, snapshot, laid } = await laidOut(project);
    expect(laid.leftOut).toEqual([...secrets, 'linked.key'].sort());
    expect(Object.keys(treeOf(laid.folder))).toEqual(['.env.example', 'a.txt', 'alias']);
    // The link is content; there is nothing behind it.
    expect(existsSync(join(laid.folder, 'alias'))).toBe(false);
    expect(valueOf(await workspace.layOut(snapshot)).leftOut).toEqual(laid.leftOut);
  });

  test('every link that leads out of the work, through others too, and it is named', async () => {
    const project = Project.withFiles({ 'a.txt': 'x\n', 'folder/sub/b.txt': 'x\n' });
    const links: Record<string, string> = {
      'folder/environment': '/proc/self/environ',
      'folder/other-snapshot': '../../other',
      'folder/sub/root': '../..',
      'folder/through': 'sub/root/../gate',
      gate: '/gate/gate.sock',
      inside: 'folder/../a.txt',
      second: 'gate',
    };
    for (const [link, target] of Object.entries(links)) symlinkSync(target, join(project.directory, link));
    const { laid } = await laidOut(project);
    expect(laid.linksLeftOut).toEqual([
      'folder/environment',
      'folder/other-snapshot',
      'folder/through',
      'gate',
      'second',
    ]);
    expect(lstatSync(join(laid.folder, 'folder/sub/root')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(laid.folder, 'inside'), 'utf8')).toBe('x\n');
    for (const link of laid.linksLeftOut) expect(() => lstatSync(join(laid.folder, link))).toThrow('ENOENT');
  });

  test('a folder of which nothing is left', async () => {
    const project = Project.withFiles({ '.ssh/config': 'x\n', 'a.txt': 'x\n' });
    mkdirSync(join(project.directory, 'links'));
    symlinkSync('/etc', join(project.directory, 'links/out'));
    const { workspace, snapshot, laid } = await laidOut(project);
    expect(Object.keys(treeOf(laid.folder))).toEqual(['a.txt']);
    expect(valueOf(await workspace.layOut(snapshot)).renewed).toBe(false);
  });
});
