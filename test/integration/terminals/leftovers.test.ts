import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { endLeftovers } from '../../../src/main/terminals/leftovers.ts';
import { readProcessTable } from '../../../src/main/terminals/process-table.ts';

/** A host that starts a program in a terminal and one on pipes, tells their numbers, and waits to be killed. */
const host = `
  import { systemClock } from '${new URL('../../../src/shared/kernel/clock.ts', import.meta.url).href}';
  import { createTerminals } from '${new URL('../../../src/main/terminals/terminals.ts', import.meta.url).href}';
  const terminals = createTerminals({ clock: systemClock, label: process.argv[1] });
  const signal = new AbortController().signal;
  const script = 'setsid sh -c "echo $$; exec sleep 1000"; sleep 1000';
  const common = { directory: '/tmp', timeoutMs: 60000, maxBytes: 1000, onData: (data) => process.stdout.write(data) };
  terminals.run({ ...common, command: script }, signal);
  terminals.pipe({ ...common, program: '/bin/sh', args: ['-c', script], stdin: '' }, signal);
`;

async function killedHost(label: string): Promise<readonly number[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', host, label], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8');
  for await (const data of child.stdout as AsyncIterable<string>) {
    printed += data;
    if ((printed.match(/\d+\r?\n/g) ?? []).length === 2) break;
  }
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  return (printed.match(/\d+/g) ?? []).map(Number);
}

const running = async (pids: readonly number[]): Promise<number> =>
  (await readProcessTable()).filter(({ pid }) => pids.includes(pid)).length;

it.runIf(process.platform === 'linux')(
  'what a killed host has left behind ends at the next boot, and only that',
  async () => {
    const label = `/data/of test ${process.pid}`;
    const ours = await killedHost(label);
    const others = await killedHost(`${label}, another`);
    expect(await running(ours)).toBe(2);

    const options = { clock: systemClock, environment: {}, graceMs: 300 };
    expect(await endLeftovers({ ...options, label })).toBeGreaterThanOrEqual(2);
    expect(await running(ours)).toBe(0);
    expect(await running(others)).toBe(2);

    await endLeftovers({ ...options, label: `${label}, another` });
    expect(await running(others)).toBe(0);
    expect(await endLeftovers({ ...options, label })).toBe(0);
  },
);

it('a host that runs in such a terminal itself leaves it alone', async () => {
  const environment = { TRIBUNE_TERMINAL: 'nested/1' };
  expect(await endLeftovers({ clock: systemClock, label: 'nested', environment })).toBe(0);
});
