import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { createTerminals } from '../../../src/main/terminals/terminals.ts';

const CYCLES = 200;

/** Children of this process that have ended and were not taken note of. */
async function zombies(): Promise<number> {
  let count = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' && Number(parent) === process.pid) count += 1;
  }
  return count;
}

const openFiles = async (): Promise<number> => (await readdir('/proc/self/fd')).length;

it.runIf(process.platform === 'linux')(
  `leaves no descriptor and no zombie after ${CYCLES} terminals and programs, failing ones among them`,
  async () => {
    const good = createTerminals({ clock: systemClock, graceMs: 300 });
    const bad = createTerminals({ clock: systemClock, graceMs: 300, shell: '/no/such/shell' });
    const signal = new AbortController().signal;
    const bounds = { directory: tmpdir(), timeoutMs: 20_000, maxBytes: 1_000, onData: () => undefined };
    const cycle = async (number: number): Promise<void> => {
      const kind = number % 4;
      if (kind === 0) await good.run({ ...bounds, command: 'echo hello' }, signal);
      if (kind === 1) await bad.run({ ...bounds, command: 'echo hello' }, signal);
      if (kind === 2) await good.pipe({ ...bounds, program: 'cat', args: [], stdin: 'hello' }, signal);
      if (kind === 3) await good.pipe({ ...bounds, program: 'no-such-program', args: [], stdin: '' }, signal);
    };
    const oneOfEach = (): Promise<unknown> => Promise.all([0, 1, 2, 3].map(cycle));
    await oneOfEach();

    const before = await openFiles();
    for (let done = 0; done < CYCLES; done += 4) await oneOfEach();

    expect(await openFiles()).toBe(before);
    expect(await zombies()).toBe(0);
  },
);
