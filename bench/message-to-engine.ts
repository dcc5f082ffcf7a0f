import { join } from 'node:path';
import { says } from '../test/fakes/messages-server/script.ts';
import { makeRoom, nextEvent, openBenchHost, send } from './bench-host.ts';
import type { BenchHost } from './bench-host.ts';
import { figure, median, percentile } from './figure.ts';
import type { Figure } from './figure.ts';
import { valueOf } from './programs.ts';
import { gitMs, makeProject } from './project.ts';
import type { Scratch } from './scratch.ts';

const FILES = 5_000;
const COLD_ROOMS = 4;
const WARM_MESSAGES_PER_ROOM = 30;
const NEXT_TASKS = 4;
const SPAWNS = 20;

/**
 * From the moment a client sends a message over the socket until the owner's engine, started for it, has called the
 * model: the start of the engine lies within.
 */
export async function messageToEngine(scratch: Scratch): Promise<readonly Figure[]> {
  const project = scratch.folder('project');
  makeProject(project, FILES);
  // Every turn ends with a question, so that the next message is the owner's next turn.
  const host = await openBenchHost(scratch, () => says('BLOCKED. Which one?'));
  const worktree: number[] = [];
  const cold: number[] = [];
  const warm: number[] = [];
  const nextTask: number[] = [];
  const worktrees = scratch.folder('worktrees');
  for (let nth = 0; nth < COLD_ROOMS; nth += 1) {
    const room = `room-${nth}`;
    await makeRoom(host.service, { name: room, directory: project, mode: 'single' });
    worktree.push(await gitMs(project, 'worktree', 'add', '--detach', join(worktrees, room)));
    cold.push(await startMs(host, room));
    for (let message = 0; message < WARM_MESSAGES_PER_ROOM; message += 1)
      warm.push(await startMs(host, room));
  }
  for (let nth = 0; nth < NEXT_TASKS; nth += 1) {
    const room = `room-${nth}`;
    const [open] = valueOf(await host.service.call('tasks.list', { room, open: true, limit: 1 }));
    if (open === undefined) throw new Error(`Room ${room} has no open task.`);
    const kept = nextEvent(host.service, 'content.kept');
    await host.service.call('tasks.stop', { task: open.id });
    await kept;
    nextTask.push(await startMs(host, room));
  }
  const spawned = await spawnMs(project);
  const process = { what: 'start one process (git --version)', value: spawned };
  const checkout = { what: `git worktree add, ${FILES} files`, value: median(worktree) };
  return [
    figure({
      name: 'message → engine, worktree warm, p50',
      value: median(warm),
      unit: 'ms',
      yardstick: process,
      bar: { of: 'value', below: 20 },
    }),
    figure({
      name: 'message → engine, worktree warm, p99',
      value: percentile(warm, 0.99),
      unit: 'ms',
      yardstick: process,
      bar: { of: 'value', below: 50 },
    }),
    figure({
      name: `message → engine, first task of a room, ${FILES} files, p50`,
      value: median(cold),
      unit: 'ms',
      yardstick: checkout,
      bar: { of: 'value', below: 400 },
    }),
    figure({
      name: `message → engine, next task of a room, ${FILES} files, p50`,
      value: median(nextTask),
      unit: 'ms',
      yardstick: checkout,
      bar: { of: 'value', below: 400 },
    }),
  ];
}

async function spawnMs(directory: string): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < SPAWNS; nth += 1) times.push(await gitMs(directory, '--version'));
  return median(times);
}

async function startMs({ service, nextRequest }: BenchHost, room: string): Promise<number> {
  const requested = nextRequest();
  const waits = nextEvent(service, 'escalation.asked');
  const sentAt = performance.now();
  await send(service, room, 'Go on.');
  const ms = (await requested) - sentAt;
  await waits;
  return ms;
}
