import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import type { TerminalResult } from '../../../src/main/ports/terminal.ts';
import { readProcessTable } from '../../../src/main/terminals/process-table.ts';
import { createTerminals } from '../../../src/main/terminals/terminals.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const GRACE_MS = 300;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tribune-terminal-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

const terminals = createTerminals({
  clock: systemClock,
  graceMs: GRACE_MS,
  environment: { ...process.env, ANTHROPIC_API_KEY: 'sk-secret' },
});

function run(command: string, over: Partial<Parameters<typeof terminals.run>[0]> = {}, signal?: AbortSignal) {
  return terminals.run(
    { command, directory, timeoutMs: 20_000, maxBytes: 10_000, onData: () => undefined, ...over },
    signal ?? new AbortController().signal,
  );
}

async function result(...args: Parameters<typeof run>): Promise<TerminalResult> {
  const ended = await run(...args);
  if (!ended.ok) throw new Error(ended.failure.message);
  return ended.value;
}

/** Resolves when the command has printed this. */
function printed(text: string) {
  let seen = '';
  let tell: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const onData = (data: string): void => {
    seen += data;
    if (seen.includes(text)) tell();
  };
  return { promise, onData };
}

async function isRunning(pid: number): Promise<boolean> {
  return (await readProcessTable()).some((row) => row.pid === pid);
}

async function pidsIn(file: string): Promise<number[]> {
  return (await readFile(join(directory, file), 'utf8')).trim().split('\n').map(Number);
}

describe('a command in a pseudo-terminal', () => {
  it('runs in its directory on a terminal and gives its exit code', async () => {
    const ended = await result('test -t 1 && pwd; exit 3');
    expect(ended).toEqual({ exitCode: 3, output: `${directory}\n`, truncated: false, timedOut: false });
  });

  it('streams output in order as it comes, without the mark that ends it', async () => {
    let streamed = '';
    const ended = await result('printf one; printf "\\033[31mtwo\\033[0m"', {
      onData: (data) => {
        streamed += data;
      },
    });
    expect(streamed).toBe('one\u001b[31mtwo\u001b[0m');
    expect(ended.output).toBe('onetwo');
  });

  it('loses nothing of a flood that ends at once, even while our own process is busy', async () => {
    let streamed = '';
    await result('seq 1 60000', {
      onData: (data) => {
        streamed += data;
        // Longer in all than the pause after which node-pty closes a terminal whose program has ended.
        if (streamed.length % 7 === 0) for (const end = Date.now() + 20; Date.now() < end;);
      },
    });
    const lines = streamed.split('\r\n');
    expect(lines.length).toBe(60_001);
    expect(lines[59_999]).toBe('60000');
  });

  it('keeps the beginning and the end of what is too long', async () => {
    const ended = await result('seq 1 100000', { maxBytes: 300 });
    expect(ended.truncated).toBe(true);
    expect(ended.output.startsWith('1\n2\n')).toBe(true);
    expect(ended.output).toContain('bytes left out');
    expect(ended.output.endsWith('99999\n100000\n')).toBe(true);
  });

  it('gives programs no credentials of ours, and nothing that waits for a person', async () => {
    const { output } = await result('echo "[$ANTHROPIC_API_KEY][$PAGER][$GIT_TERMINAL_PROMPT]"');
    expect(output).toBe('[][cat][0]\n');
  });

  it('reports a command that a signal ended as shells do', async () => {
    expect((await result('kill -9 $$')).exitCode).toBe(137);
  });

  it('has no exit code where the terminal itself was killed', async () => {
    expect((await result('kill -9 $PPID')).exitCode).toBeNull();
  });

  it('ends what the command left in the background', async () => {
    await result('sleep 1000 & echo $! > pids');
    for (const pid of await pidsIn('pids')) expect(await isRunning(pid)).toBe(false);
  });

  it('is ended when its time is up, and what it had printed is kept', async () => {
    const clock = new ManualClock();
    const begun = printed('begun');
    const running = createTerminals({ clock, graceMs: GRACE_MS }).run(
      {
        command: 'echo $$ > pids; echo begun; sleep 1000',
        directory,
        timeoutMs: 60_000,
        maxBytes: 10_000,
        onData: begun.onData,
      },
      new AbortController().signal,
    );
    await begun.promise;
    clock.advance(60_000);
    expect(await clock.until(running)).toEqual({
      ok: true,
      value: { timedOut: true, exitCode: null, output: 'begun\n', truncated: false },
    });
    for (const pid of await pidsIn('pids')) expect(await isRunning(pid)).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('takes along processes that ignore SIGTERM, left the session or lost their parent', async () => {
    const controller = new AbortController();
    const ready = printed('ready');
    const running = run(
      [
        ': > pids',
        'sh -c \'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done\' &',
        "setsid sh -c 'echo $$ >> pids; exec sleep 1000' &",
        '(setsid sh -c \'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done\' &)',
        'while [ "$(wc -l < pids)" != 3 ]; do sleep 0.01; done; echo ready; sleep 1000',
      ].join('\n'),
      { onData: ready.onData },
      controller.signal,
    );
    await ready.promise;
    controller.abort();
    await running;
    const pids = await pidsIn('pids');
    expect(pids).toHaveLength(3);
    for (const pid of pids) expect(await isRunning(pid)).toBe(false);
  });

  it('is stopped by an abort, and says so', async () => {
    const controller = new AbortController();
    const ready = printed('ready');
    const running = run(
      'echo $$ > pids; echo ready; sleep 1000',
      { onData: ready.onData },
      controller.signal,
    );
    await ready.promise;
    controller.abort();
    expect(await running).toMatchObject({ ok: false, failure: { tag: 'stopped' } });
    for (const pid of await pidsIn('pids')) expect(await isRunning(pid)).toBe(false);
  });

  it('is stopped by an abort that came before it', async () => {
    expect(await run('sleep 1000', {}, AbortSignal.abort())).toMatchObject({ failure: { tag: 'stopped' } });
  });

  it('names a directory that is missing', async () => {
    const gone = join(directory, 'gone');
    const ended = await run('true', { directory: gone });
    expect(ended).toMatchObject({ ok: false, failure: { tag: 'directory_missing' } });
    expect(JSON.stringify(ended)).toContain(gone);
  });

  it('says that a shell is missing', async () => {
    const without = createTerminals({ clock: systemClock, shell: '/no/such/shell', graceMs: GRACE_MS });
    const ended = await without.run(
      { command: 'true', directory, timeoutMs: 5_000, maxBytes: 100, onData: () => undefined },
      new AbortController().signal,
    );
    expect(ended).toMatchObject({ ok: false, failure: { tag: 'spawn_failed' } });
  });
});
