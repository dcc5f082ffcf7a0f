import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn as spawnInTerminal } from 'node-pty';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { markOf } from '../../../src/main/terminals/environment.ts';
import { runnerOnThisNode } from '../../../src/main/terminals/host-place/runner-file.ts';
import { HostTurn } from '../../../src/main/terminals/host-place/host-turn.ts';
import { listenForRunner } from '../../../src/main/terminals/host-place/turn-channel.ts';
import { readProcessTable } from '../../../src/main/terminals/process-table.ts';
import { RunningTrees } from '../../../src/main/terminals/running-trees.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { fileOf, place, places, runners, shell, start, theRunner } from './host-place-support.ts';

/** A pipe with a name; reading it ends when nothing that holds it open for writing runs any more. */
function lifeline(): { readonly path: string; readonly allGone: Promise<unknown> } {
  const path = join(temporaryFolder('lifeline'), 'pipe');
  execFileSync('mkfifo', [path]);
  const reading = createReadStream(path);
  reading.resume();
  return { path, allGone: once(reading, 'end') };
}

/** A program with a child, and a grandchild in a session of its own; none of them heeds SIGTERM. */
const stubborn = (path: string): string =>
  `trap '' TERM HUP INT; exec 9> "${path}"; setsid sh -c 'sleep 1000 & wait' & sleep 1000 & echo ready; wait`;

const running = async (mark: string): Promise<number> =>
  (await readProcessTable()).filter((row) => row.mark?.startsWith(mark) === true).length;

describe.runIf(process.platform === 'linux')(
  'a program in a place on the host ends with all that it started',
  () => {
    it('when it is stopped', async () => {
      const { path, allGone } = lifeline();
      const run = await shell(await place({ label: 'stopped' }), stubborn(path));
      await run.printed('ready');
      run.running.stop();
      expect(await run.ended).toMatchObject({ by: 'stopped', problem: null });
      expect(await running('stopped/')).toBe(0);
      expect(runners()).toEqual([]);
      await allGone;
    });

    it('when its turn is aborted, and when its place is closed', async () => {
      const abort = new AbortController();
      const at = await place({ label: 'aborted' });
      const one = await shell(at, 'echo ready; exec sleep 1000', {}, abort.signal);
      const other = await shell(at, 'echo ready; exec sleep 1000');
      await Promise.all([one.printed('ready'), other.printed('ready')]);
      abort.abort();
      expect(await one.ended).toMatchObject({ by: 'stopped' });
      await at.close();
      expect(await other.ended).toMatchObject({ by: 'stopped' });
      expect(await running('aborted/')).toBe(0);
      const launch = {
        program: 'cat',
        args: [],
        environment: {},
        onOutput() {},
        onProblem() {},
        onScreen() {},
      };
      expect(await at.cli.start(launch, abort.signal)).toMatchObject({ failure: { tag: 'stopped' } });
    });

    it('when it ends itself and leaves something behind that holds its output open', async () => {
      const { path, allGone } = lifeline();
      const run = await shell(await place(), `exec 9> "${path}"; setsid sleep 1000 & echo done; exit 3`);
      expect(await run.ended).toEqual({ exitCode: 3, by: 'itself', problem: null });
      expect(run.output).toBe('done\n');
      await allGone;
    });

    it('when somebody signals its runner, or closes its terminal', async () => {
      for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) {
        const { path, allGone } = lifeline();
        const run = await shell(await place(), stubborn(path));
        await run.printed('ready');
        process.kill(theRunner(), signal);
        expect(await run.ended).toMatchObject({ by: 'stopped' });
        await allGone;
      }
    });

    it('when its runner is killed: then it is lost', async () => {
      const { path, allGone } = lifeline();
      const run = await shell(await place(), stubborn(path));
      await run.printed('ready');
      process.kill(theRunner(), 'SIGKILL');
      expect(await run.ended).toMatchObject({ exitCode: null, by: 'lost' });
      await allGone;
    });

    it('when its runner is held and does not answer', async () => {
      const { path, allGone } = lifeline();
      const run = await shell(await place(), stubborn(path));
      await run.printed('ready');
      process.kill(theRunner(), 'SIGSTOP');
      run.running.stop();
      expect(await run.ended).toMatchObject({ by: 'stopped' });
      await allGone;
    });

    it('when a person types Ctrl-C in its terminal', async () => {
      const { path, allGone } = lifeline();
      const folder = temporaryFolder('typed');
      const channel = await listenForRunner(folder, 'typed-in');
      const { program, args } = runnerOnThisNode();
      const pty = spawnInTerminal(program, [...args, channel.address], { env: {} });
      const mark = markOf('typed', 'typed-in');
      const ready = Promise.withResolvers<null>();
      const turn = new HostTurn(
        {
          pty,
          channel,
          token: 'typed-in',
          order: {
            program: 'sh',
            args: ['-c', stubborn(path)],
            directory: folder,
            environment: { PATH: process.env['PATH'] ?? '', TRIBUNE_TERMINAL: mark },
            mark,
            graceMs: 300,
          },
          launch: {
            program: 'sh',
            args: [],
            environment: {},
            onOutput: () => {
              ready.resolve(null);
            },
            onProblem: () => undefined,
            onScreen: () => undefined,
          },
        },
        {
          clock: systemClock,
          graceMs: 300,
          environment: {},
          label: 'typed',
          path: () => Promise.resolve(''),
          newToken: () => 'typed-in',
          runner: runnerOnThisNode,
          running: new RunningTrees(),
        },
      );
      expect(await turn.started).toBeNull();
      await ready.promise;
      pty.write('\u0013 words that nobody reads \u0003');
      expect(await turn.ended).toMatchObject({ by: 'stopped' });
      await allGone;
    });

    it('when the host is killed', async () => {
      const { path, allGone } = lifeline();
      const url = (file: string): string => new URL(`../../../src/${file}`, import.meta.url).href;
      const host = `
      import { systemClock } from '${url('shared/kernel/clock.ts')}';
      import { createHostPlaces } from '${url('main/terminals/host-place/host-places.ts')}';
      const places = createHostPlaces({ clock: systemClock, graceMs: 300, path: async () => process.env.PATH });
      const opened = await places.open('/tmp');
      const write = (chunk) => process.stdout.write(chunk);
      await opened.value.cli.start(
        { program: 'sh', args: ['-c', process.argv[1]], environment: {}, onOutput: write, onProblem: write, onScreen: write },
        new AbortController().signal,
      );
    `;
      const child = spawn(process.execPath, ['--input-type=module', '-e', host, stubborn(path)], {
        env: { ...process.env, TMPDIR: temporaryFolder('host') },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await allGone;
    });
  },
);

const openFiles = (): number => readdirSync('/proc/self/fd').length;

const zombies = (): number =>
  readdirSync('/proc').filter((name) => {
    const [state, parent] = fileOf(name, 'stat').split(') ').at(-1)?.split(' ') ?? [];
    return state === 'Z' && Number(parent) === process.pid;
  }).length;

const turnFolders = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('tribune-turn-'));

describe.runIf(process.platform === 'linux')('places on the host', () => {
  it('leave no descriptor, no process and no folder behind over 30 runs', async () => {
    const cycle = async (number: number): Promise<void> => {
      const opened = await places({ label: 'leaks' }).open(tmpdir());
      if (!opened.ok) throw new Error(opened.failure.message);
      const at = opened.value;
      await at.cli.layDown('settings.json', '{}');
      if (number % 3 === 0) await (await shell(at, 'echo hello')).ended;
      if (number % 3 === 1) (await shell(at, 'exec sleep 1000')).running.stop();
      if (number % 3 === 2) await start(at, 'no-such-program', []).catch(() => undefined);
      await at.close();
    };
    await Promise.all([0, 1, 2].map(cycle));
    const folders = turnFolders();
    const before = openFiles();
    for (let number = 0; number < 30; number += 3) {
      await Promise.all([number, number + 1, number + 2].map(cycle));
    }
    expect(openFiles()).toBe(before);
    expect(zombies()).toBe(0);
    expect(runners()).toEqual([]);
    expect(await running('leaks/')).toBe(0);
    expect(turnFolders().filter((name) => !folders.includes(name))).toEqual([]);
  });

  it('let a flood wait in the program while the host is slow', async () => {
    const flood = 400_000_000;
    const at = await place();
    let bytes = 0;
    let most = 0;
    const run = await shell(at, `echo ready; read go; exec head -c ${flood} /dev/zero`, {
      onOutput: (chunk) => {
        // The first piece of the flood finds the host busy for a second.
        if (bytes < 100 && bytes + chunk.length >= 100) {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
        }
        bytes += chunk.length;
        most = Math.max(most, process.memoryUsage().arrayBuffers);
      },
    });
    const runner = theRunner();
    const kilobytes = (name: string): number =>
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(fileOf(runner, 'status'))?.[1]);
    const before = kilobytes('VmRSS');
    const arraysBefore = process.memoryUsage().arrayBuffers;
    run.running.write('go\n');
    let peak = 0;
    const looking = setInterval(() => {
      peak = Math.max(peak, kilobytes('VmHWM') || 0);
    }, 5);
    await run.ended;
    clearInterval(looking);
    expect(bytes).toBe(flood + 'ready\n'.length);
    expect(peak - before).toBeLessThan(120_000);
    expect(most - arraysBefore).toBeLessThan(120_000_000);
  });
});
