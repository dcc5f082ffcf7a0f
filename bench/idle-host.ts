import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { platform } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { calls, says } from '../test/fakes/messages-server/script.ts';
import type { Script } from '../test/fakes/messages-server/script.ts';
import { startMessagesServer } from '../test/fakes/messages-server/server.ts';
import { makeRoom, nextEvent, send } from './bench-host.ts';
import { figure } from './figure.ts';
import type { Figure } from './figure.ts';
import { endProcess, startHost } from './programs.ts';
import { makeProject } from './project.ts';
import type { Scratch } from './scratch.ts';

const FILES = 200;

/** Time for what a start leaves to be tidied up. */
const START_SETTLE_MS = 2_000;

/** After a task connections to the model stay open for some seconds, and V8 gives memory back after about eight. */
const TASK_SETTLE_MS = 12_000;
const WATCH_MS = 8_000;

/** Linux counts a process's time in these, sysconf(_SC_CLK_TCK): 100 in a second on every architecture that Node has. */
const TICKS_PER_SECOND = 100;

/** What the built host takes while nothing happens: after its start, and after a task. From /proc, so on Linux only. */
export async function idleHost(scratch: Scratch): Promise<readonly Figure[]> {
  if (platform() !== 'linux') return [];
  const project = scratch.folder('project');
  makeProject(project, FILES);
  const server = await startMessagesServer(aTask());
  scratch.scope.add('the model', () => server.close());
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 2 ** 30)'], { stdio: 'ignore' });
  scratch.scope.add('the bare process', () => endProcess(bare, 'SIGKILL'));
  const { pid, service } = await startHost(scratch, scratch.folder('data'), server.url);
  await pause(START_SETTLE_MS);
  const bareMegabytes = residentMegabytes(bare.pid ?? 0);
  const atStart = residentMegabytes(pid);
  await makeRoom(service, { name: 'room', directory: project, mode: 'single' });
  const completed = nextEvent(service, 'task.completed');
  await send(service, 'room', 'Do it.');
  await completed;
  await pause(TASK_SETTLE_MS);
  const afterTask = residentMegabytes(pid);
  const before = activityOf(pid);
  await pause(WATCH_MS);
  const after = activityOf(pid);
  const seconds = WATCH_MS / 1000;
  const yardstick = { what: 'a bare node that waits, no flags', value: bareMegabytes };
  return [
    figure({
      name: 'idle host, resident, after its start (no flags)',
      value: atStart,
      unit: 'MB',
      yardstick,
      bar: { of: 'value', below: 120 },
    }),
    figure({
      name: 'idle host, resident, after a task (no flags)',
      value: afterTask,
      unit: 'MB',
      yardstick,
      bar: { of: 'value', below: 120 },
    }),
    figure({
      name: 'idle host, share of a core',
      value: ((after.ticks - before.ticks) / TICKS_PER_SECOND / seconds) * 100,
      unit: '%',
      yardstick: 'none, because the bar is nothing at all',
      bar: { of: 'value', below: 0.5 },
    }),
    figure({
      // A timer under a second would wake the main thread at least once in each.
      name: 'idle host, times its main thread wakes',
      value: (after.wakeUps - before.wakeUps) / seconds,
      unit: 'per s',
      yardstick: 'none, because the bar is nothing at all',
      bar: { of: 'value', below: 1 },
    }),
  ];
}

/** A turn that writes a file, runs a command in a terminal, and ends. */
function aTask(): Script {
  return (_request, number) => {
    if (number === 1) return calls('write_file', { path: 'notes.md', text: 'A note.\n' });
    if (number === 2) return calls('run_command', { command: 'ls' });
    return says('DONE. The note is written.');
  };
}

function residentMegabytes(pid: number): number {
  return Number(fieldOf(`/proc/${pid}/status`, 'VmRSS')) / 1024;
}

/** The time that all of the process's threads have used, in ticks, and how often its main one gave up waiting. */
function activityOf(pid: number): { readonly ticks: number; readonly wakeUps: number } {
  const ticks = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [, fields = ''] = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ');
    const [user = '0', system = '0'] = fields.split(' ').slice(11, 13);
    return sum + Number(user) + Number(system);
  }, 0);
  return { ticks, wakeUps: Number(fieldOf(`/proc/${pid}/task/${pid}/status`, 'voluntary_ctxt_switches')) };
}

function fieldOf(file: string, field: string): string {
  const value = new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1];
  if (value === undefined) throw new Error(`${file} has no ${field}.`);
  return value;
}
