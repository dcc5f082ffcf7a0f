import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../fakes/messages-server/protocol.ts';
import { calls, inTurn } from '../../fakes/messages-server/script.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { failed, newest, submits, workbench, yielded, type OwnerPlace } from './support.ts';

/** Runs one tool call as the owner, then submits; gives what the model was told of it. */
async function toldOf(tool: string, input: unknown, prepare?: (directory: string) => Promise<void>) {
  const bench = await workbench(inTurn(calls(tool, input), submits));
  await prepare?.(bench.directory);
  yielded(await bench.run());
  const result = blocksOf(bench.server.requests[1]?.messages.at(-1) ?? { role: 'user', content: [] }).find(
    (block) => block.type === 'tool_result',
  );
  return { bench, told: newest(bench.server.requests[1]), isError: result?.is_error ?? false };
}

describe('tools', () => {
  const three = (directory: string): Promise<void> =>
    writeFile(join(directory, 'a.txt'), 'one\ntwo\nthree\n');

  it('list files', async () => {
    expect((await toldOf('list_files', {}, three)).told).toBe('a.txt');
  });

  it('read files whole and in part, with line numbers', async () => {
    expect((await toldOf('read_file', { path: 'a.txt' }, three)).told).toBe('1\tone\n2\ttwo\n3\tthree');
    expect((await toldOf('read_file', { path: 'a.txt', from: 2, to: 2 }, three)).told).toBe('2\ttwo');
    expect((await toldOf('read_file', { path: 'a.txt', from: 2 }, three)).told).toBe('2\ttwo\n3\tthree');
  });

  it('search files', async () => {
    expect((await toldOf('search_files', { pattern: 't' }, three)).told).toBe('a.txt:2: two\na.txt:3: three');
    expect((await toldOf('search_files', { pattern: 'nine' }, three)).told).toBe('(no line matches)');
  });

  it('write and edit files', async () => {
    const { bench } = await toldOf('write_file', { path: 'new/b.txt', text: 'b' });
    expect(await readFile(join(bench.directory, 'new/b.txt'), 'utf8')).toBe('b');
    const edit = await toldOf('edit_file', { path: 'a.txt', before: 'two', after: '2' }, three);
    expect(await readFile(join(edit.bench.directory, 'a.txt'), 'utf8')).toBe('one\n2\nthree\n');
  });

  it('say what is wrong with an edit that does not fit', async () => {
    expect(await toldOf('edit_file', { path: 'a.txt', before: 'nine', after: '9' }, three)).toMatchObject({
      isError: true,
    });
  });

  it.each(['read_file', 'write_file'])(
    'let no path leave the work, through a symlink either (%s)',
    async (tool) => {
      const outside = temporaryFolder('outside');
      await writeFile(join(outside, 'target.txt'), 'precious');
      const link = (directory: string): Promise<void> => symlink(outside, join(directory, 'link'));
      for (const path of ['../../etc/passwd', 'link/target.txt']) {
        const { isError } = await toldOf(
          tool,
          { path, ...(tool === 'write_file' ? { text: 'gone' } : {}) },
          link,
        );
        expect(isError).toBe(true);
      }
      expect(await readFile(join(outside, 'target.txt'), 'utf8')).toBe('precious');
    },
  );

  it('do not give secrets away', async () => {
    const secret = (directory: string): Promise<void> => writeFile(join(directory, '.env'), 'KEY=hunter2');
    const { told, isError } = await toldOf('read_file', { path: '.env' }, secret);
    expect(isError).toBe(true);
    expect(told).not.toContain('hunter2');
  });

  it('run commands in the work directory on a terminal, and give exit code and output', async () => {
    const { told, isError, bench } = await toldOf('run_command', { command: 'pwd; test -t 1; exit 7' });
    expect(told).toBe(`exit code 7\n${bench.directory}`);
    expect(isError).toBe(true);
  });

  it('end a command that takes too long', async () => {
    const { told } = await toldOf('run_command', { command: 'echo begun; sleep 100', timeout_seconds: 0.3 });
    expect(told).toMatch(/^ended by us after 0.3 seconds.*begun/s);
  });

  it('bound what a command gives to the model and to who watches', async () => {
    const { told, bench } = await toldOf('run_command', { command: 'seq 1 200000' });
    expect(told.length).toBeLessThan(41_000);
    expect(told.endsWith('200000')).toBe(true);
    const shown = bench.desk.events.reduce(
      (sum, event) => sum + (event.type === 'terminal_output' ? event.data.length : 0),
      0,
    );
    expect(shown).toBe(256 * 1024);
    expect(bench.desk.events).toContainEqual(expect.objectContaining({ type: 'notice' }));
  });

  it('end the turn of a model that goes round in circles', async () => {
    const bench = await workbench(() => calls('list_files', {}));
    expect(failed(await bench.run())).toMatchObject({ tag: 'looped', forGood: false });
    expect(bench.server.requests).toHaveLength(5);
  });

  it('are named to a model that calls one that does not exist', async () => {
    const { told, isError } = await toldOf('delete_everything', {});
    expect(isError).toBe(true);
    expect(told).toMatch(/no tool "delete_everything".*read_file/);
  });

  it('say what is wrong with their input', async () => {
    const { told, isError } = await toldOf('read_file', { path: 7, lines: 'all' });
    expect(isError).toBe(true);
    expect(told).toMatch(/read_file was not run.*path/);
  });

  it('are carried out one after another, in the order of the reply', async () => {
    const command = (text: string) => ({
      type: 'tool_use' as const,
      name: 'run_command',
      input: { command: `sleep 0.05; echo ${text} >> order` },
    });
    const bench = await workbench(
      inTurn({ kind: 'message', content: [command('a'), command('b'), command('c')] }, submits),
    );
    yielded(await bench.run());
    expect(await readFile(join(bench.directory, 'order'), 'utf8')).toBe('a\nb\nc\n');
  });

  it('take no longer than their limit', async () => {
    const bench = await workbench(inTurn(calls('list_files', {}), submits));
    const { files } = bench.request.place as OwnerPlace;
    const hanging = Object.assign(Object.create(files) as typeof files, {
      list: () => new Promise<never>(() => undefined),
    });
    const limitSet = bench.clock.timerSet(30_000);
    const running = bench.run({ place: { kind: 'directory', directory: bench.directory, files: hanging } });
    await limitSet;
    bench.clock.advance(30_000);
    yielded(await running);
    expect(newest(bench.server.requests[1])).toMatch(/did not end within 30 seconds/);
  });
});
