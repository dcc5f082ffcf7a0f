import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OpenWorkspace, ReadableFiles } from '../../../src/main/ports/workspace.ts';
import { Project, failureOf, taskA, valueOf } from './project.ts';

interface Both {
  readonly project: Project;
  readonly place: OpenWorkspace;
  readonly snapshot: ReadableFiles;
}

async function files(): Promise<Both> {
  const project = Project.withFiles({
    'a.txt': 'one\ntwo\nthree\n',
    'src/main.ts': 'const needle = 1;\nconst other = 2;\n',
    'src/deep/more.ts': 'needle(2)\n',
    'sp ace/[glob]*.txt': 'needle 3\n',
    'tracked.pem': 'needle secret\n',
    'bin.dat': 'needle\0binary\n',
  });
  symlinkSync('a.txt', join(project.directory, 'link'));
  symlinkSync('/etc/passwd', join(project.directory, 'out'));
  symlinkSync('/etc', join(project.directory, 'outdir'));
  symlinkSync('tracked.pem', join(project.directory, 'innocent'));
  symlinkSync('.git', join(project.directory, 'gitlink'));
  project.commit();
  const workspace = project.workspace();
  const base = valueOf(await workspace.snapshotOfDirectory()).id;
  const place = valueOf(await workspace.open(taskA, base));
  return { project, place, snapshot: workspace.read(base) };
}

describe('files of a snapshot and of a worktree', () => {
  test('can be listed, read by lines and searched', async () => {
    const { place, snapshot } = await files();
    for (const one of [place.files, snapshot]) {
      expect(valueOf(await one.list('src'))).toEqual([
        { path: 'src/deep', kind: 'directory' },
        { path: 'src/main.ts', kind: 'file' },
      ]);
      const root = valueOf(await one.list('.')).map((entry) => `${entry.kind} ${entry.path}`);
      expect(root).toContain('symlink out');
      expect(root).not.toContain('file .git');
      expect(valueOf(await one.read('a.txt'))).toEqual({
        text: 'one\ntwo\nthree\n',
        totalLines: 3,
        truncated: false,
      });
      expect(valueOf(await one.read('./a.txt', { from: 2, to: 9 }))).toEqual({
        text: 'two\nthree',
        totalLines: 3,
        truncated: false,
      });
      expect(valueOf(await one.read('sp ace/[glob]*.txt')).text).toBe('needle 3\n');
      const found = valueOf(await one.search('needle\\W+\\d', ''));
      expect(found.matches).toEqual([
        { path: 'sp ace/[glob]*.txt', line: 1, text: 'needle 3' },
        { path: 'src/deep/more.ts', line: 1, text: 'needle(2)' },
        { path: 'src/main.ts', line: 1, text: 'const needle = 1;' },
      ]);
      expect(valueOf(await one.search('needle', 'src/deep')).matches).toHaveLength(1);
      expect(valueOf(await one.search('no such thing', '')).matches).toEqual([]);
      expect(failureOf(await one.search('(', '')).tag).toBe('bad_pattern');
    }
  });

  test('refuse what is outside, secret, in .git, missing or no text', async () => {
    const { place, snapshot } = await files();
    for (const one of [place.files, snapshot]) {
      const tags = async (...paths: string[]): Promise<string[]> =>
        Promise.all(paths.map(async (at) => failureOf(await one.read(at)).tag));
      expect(await tags('../x', '/etc/passwd', 'src/../../x', '.git/config', 'src/.GIT/x', 'a\0b')).toEqual(
        Array(6).fill('outside'),
      );
      expect(await tags('tracked.pem', '.env', 'src/.ssh/config')).toEqual(['secret', 'secret', 'secret']);
      expect(await tags('nothing.txt', 'bin.dat', 'src')).toEqual(['missing', 'not_text', 'not_text']);
      expect(failureOf(await one.list('..')).tag).toBe('outside');
      expect(failureOf(await one.list('a.txt')).tag).toBe('not_a_directory');
      for (const failure of [failureOf(await one.read('../x')), failureOf(await one.read('nothing.txt'))])
        expect(failure.next).toMatch(/^\S.*\S$/s);
    }
  });

  test('a link is shown, not followed, in a snapshot; in a worktree it is followed inside only', async () => {
    const { place, snapshot } = await files();
    expect(failureOf(await snapshot.read('out'))).toMatchObject({
      tag: 'not_text',
      message: expect.stringContaining('/etc/passwd') as string,
    });
    expect(failureOf(await snapshot.list('outdir')).tag).toBe('not_a_directory');
    expect(failureOf(await snapshot.read('outdir/passwd')).tag).toBe('missing');
    expect(valueOf(await place.files.read('link')).totalLines).toBe(3);
    expect(failureOf(await place.files.read('out')).tag).toBe('outside');
    expect(failureOf(await place.files.read('outdir/passwd')).tag).toBe('outside');
    expect(failureOf(await place.files.list('outdir')).tag).toBe('outside');
    expect(failureOf(await place.files.read('innocent')).tag).toBe('secret');
    expect(failureOf(await place.files.list('gitlink')).tag).toBe('outside');
    expect(valueOf(await place.files.search('root', '')).matches).toEqual([]);
  });

  test('writing and editing keep mode and odd bytes, and stay inside', async () => {
    const { place, project } = await files();
    const at = (name: string): string => join(place.directory, name);
    chmodSync(at('a.txt'), 0o750);
    valueOf(await place.files.write('a.txt', 'new\n'));
    expect([readFileSync(at('a.txt'), 'utf8'), statSync(at('a.txt')).mode & 0o777]).toEqual(['new\n', 0o750]);
    valueOf(await place.files.write('very/deep/b.txt', 'x\n'));
    valueOf(await place.files.write('link', 'through the link\n'));
    expect([readlinkSync(at('link')), readFileSync(at('a.txt'), 'utf8')]).toEqual([
      'a.txt',
      'through the link\n',
    ]);
    for (const outside of ['../x', 'outdir/x', 'outdir/deep/x', 'out', 'gitlink/x', '.git', 'gitlink']) {
      expect([outside, failureOf(await place.files.write(outside, 'x')).tag]).toEqual([outside, 'outside']);
    }
    for (const secret of ['.env', 'innocent', 'sub/id_rsa'])
      expect(failureOf(await place.files.write(secret, 'x')).tag).toBe('secret');
    expect(failureOf(await place.files.write('src', 'x')).tag).toBe('not_text');
    expect(failureOf(await place.files.write('a.txt/x', 'x')).tag).toBe('not_a_directory');

    writeFileSync(at('odd.txt'), Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from('héllo\n')]));
    valueOf(await place.files.edit('odd.txt', 'héllo', '$& wörld'));
    expect(
      readFileSync(at('odd.txt')).equals(
        Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from('$& wörld\n')]),
      ),
    ).toBe(true);
    project.write({ 'twice.txt': 'aXaXa' }, place.directory);
    expect(failureOf(await place.files.edit('twice.txt', 'aXa', '')).tag).toBe('several_matches');
    expect(failureOf(await place.files.edit('twice.txt', 'b', '')).tag).toBe('no_match');
    expect(failureOf(await place.files.edit('twice.txt', '', 'x')).tag).toBe('no_match');
    expect(failureOf(await place.files.edit('bin.dat', 'needle', '')).tag).toBe('not_text');
    expect(readdirSync(place.directory).filter((name) => name.includes('tribune'))).toEqual([]);
  });

  test('a pipe in place of a file holds nothing up, and a long text is cut', async () => {
    const { place } = await files();
    execFileSync('mkfifo', [join(place.directory, 'pipe')]);
    expect(failureOf(await place.files.read('pipe')).tag).toBe('not_text');
    writeFileSync(join(place.directory, 'long.txt'), 'x'.repeat(300_000));
    expect(valueOf(await place.files.read('long.txt'))).toMatchObject({ totalLines: 1, truncated: true });
    writeFileSync(join(place.directory, 'huge.txt'), 'x'.repeat(9 * 1024 * 1024));
    expect(failureOf(await place.files.read('huge.txt')).message).toContain('bytes');
    mkdirSync(join(place.directory, 'many'));
    writeFileSync(join(place.directory, 'many/lines.txt'), 'needle\n'.repeat(500));
    expect(valueOf(await place.files.search('needle', 'many'))).toMatchObject({ truncated: true });
  });

  test('a pattern that backtracks without end does not hold anything up', async () => {
    const { place, project } = await files();
    project.write({ 'slow.txt': `${'a'.repeat(5_000)}!\n` }, place.directory);
    const began = performance.now();
    const result = await place.files.search('(a+)+$', 'slow.txt');
    expect(performance.now() - began).toBeLessThan(15_000);
    if (!result.ok) expect(result.failure.tag).toBe('bad_pattern');
  });
});
