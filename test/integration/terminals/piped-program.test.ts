import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { readProcessTable } from '../../../src/main/terminals/process-table.ts';
import { createTerminals } from '../../../src/main/terminals/terminals.ts';

const terminals = createTerminals({ clock: systemClock, graceMs: 300 });

function pipe(
  program: string,
  args: string[],
  over: Partial<Parameters<typeof terminals.pipe>[0]> = {},
  signal?: AbortSignal,
) {
  return terminals.pipe(
    {
      program,
      args,
      directory: tmpdir(),
      stdin: '',
      timeoutMs: 20_000,
      maxBytes: 10_000,
      onData: () => undefined,
      ...over,
    },
    signal ?? new AbortController().signal,
  );
}

const shell = (
  script: string,
  over: Partial<Parameters<typeof terminals.pipe>[0]> = {},
  signal?: AbortSignal,
) => pipe('/bin/sh', ['-c', script], over, signal);

describe('a program on pipes', () => {
  it('reads its input to the end and keeps its two outputs apart', async () => {
    const ended = await shell('cat; echo problem >&2; exit 4', { stdin: 'héllo' });
    expect(ended).toEqual({
      ok: true,
      value: { exitCode: 4, stdout: 'héllo', stderr: 'problem\n', truncated: false, timedOut: false },
    });
  });

  it('may leave its input unread', async () => {
    const ended = await shell('exit 0', { stdin: 'x'.repeat(1_000_000) });
    expect(ended).toMatchObject({ ok: true, value: { exitCode: 0 } });
  });

  it('may print more than is kept', async () => {
    const ended = await shell('seq 1 100000', { maxBytes: 300 });
    expect(ended).toMatchObject({ ok: true, value: { truncated: true } });
    if (ended.ok) expect(ended.value.stdout.endsWith('\n100000\n')).toBe(true);
  });

  it('ends with what it left in the background, though that holds its output open', async () => {
    const ended = await shell('sleep 1000 & echo $!');
    if (!ended.ok) throw new Error(ended.failure.message);
    const pid = Number(ended.value.stdout);
    expect((await readProcessTable()).some((row) => row.pid === pid)).toBe(false);
  });

  it('is ended when its time is up', async () => {
    const ended = await shell('echo begun; sleep 1000', { timeoutMs: 300 });
    expect(ended).toMatchObject({ ok: true, value: { timedOut: true, exitCode: null, stdout: 'begun\n' } });
  });

  it('is stopped by an abort', async () => {
    const controller = new AbortController();
    const ended = await shell(
      'echo begun; sleep 1000',
      {
        onData: () => {
          controller.abort();
        },
      },
      controller.signal,
    );
    expect(ended).toMatchObject({ ok: false, failure: { tag: 'stopped' } });
  });

  it('names a program that is missing, one that may not run, and a directory that is missing', async () => {
    expect(await pipe('no-such-program', [])).toMatchObject({ failure: { tag: 'program_missing' } });
    expect(await pipe('/etc/passwd', [])).toMatchObject({ failure: { tag: 'spawn_failed' } });
    expect(await pipe('true', [], { directory: '/no/such/place' })).toMatchObject({
      failure: { tag: 'directory_missing' },
    });
    expect(await pipe('true', ['\0'])).toMatchObject({ failure: { tag: 'spawn_failed' } });
  });
});
