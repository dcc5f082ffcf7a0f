import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type Docker from 'dockerode';
import { connectDocker } from '../src/main/containers/docker-connection.ts';
import { createSeals } from '../src/main/containers/seals.ts';
import type { CliLaunch, RunningCli } from '../src/main/ports/coding-cli.ts';
import type { SealedPlace, SealRequest, Seals } from '../src/main/ports/seals.ts';
import { systemClock } from '../src/shared/kernel/clock.ts';
import { prepared } from '../test/support/prepare/prepared.ts';
import { figure, median } from './figure.ts';
import type { Figure } from './figure.ts';
import { valueOf } from './programs.ts';
import type { Scratch } from './scratch.ts';

const COLD_ROUNDS = 7;
const WARM_ROUNDS = 21;
const STOP_ROUNDS = 7;
const TURNS = 100;
/** Something that is on the host and in the image, and starts as coding agents do. */
const PROGRAM = ['node', '-e', 'console.log(1); setInterval(() => {}, 1000)'] as const;

const never = new AbortController().signal;

interface Bench {
  readonly docker: Docker;
  readonly seals: Seals;
  readonly request: SealRequest;
  readonly label: string;
}

/** Containers of rooms: from nothing, warm, stopped, and turn after turn. Needs a container engine. */
export async function containers(scratch: Scratch): Promise<readonly Figure[]> {
  const bench = await openBench(scratch);
  const cold = await coldMs(bench);
  const warm = await warmMs(bench);
  const stop = await stopMs(bench);
  return [
    figure({
      name: 'cold container, its probe as both users included',
      value: median(cold),
      unit: 'ms',
      yardstick: 'none, because there is no sealed turn without a container',
      bar: { of: 'value', below: 1_000 },
    }),
    figure({
      name: 'warm turn: first byte of its program, beyond that on the host',
      value: median(warm.inside) - median(warm.onHost),
      unit: 'ms',
      yardstick: { what: 'first byte of the same program on the host', value: median(warm.onHost) },
      bar: { of: 'value', below: 150 },
    }),
    figure({
      name: 'stop to the last process inside gone',
      value: Math.max(...stop),
      unit: 'ms',
      yardstick: 'none, because it is the promise itself',
      bar: { of: 'value', below: 2_000 },
    }),
    figure({
      name: `left by ${TURNS} turns: containers, processes, descriptors, folders`,
      value: await leftByTurns(bench),
      unit: '',
      yardstick: 'none, because nothing may be left',
      bar: { of: 'value', below: 1 },
    }),
  ];
}

async function openBench(scratch: Scratch): Promise<Bench> {
  const image = await prepared('reviewer-image.ts');
  if (!image.there) throw new Error(`The reviewer image is not there: ${image.why}`);
  const snapshots = scratch.folder('snapshots');
  mkdirSync(join(snapshots, 'snapshot'));
  writeFileSync(join(snapshots, 'snapshot', 'file'), 'content\n');
  const installId = `bench-${randomUUID()}`;
  const seals = createSeals({
    clock: systemClock,
    environment: process.env,
    image: image.value,
    installId: () => installId,
    bootId: 'bench',
    gateDirectory: scratch.folder('gate'),
    resources: resolve(import.meta.dirname, '../resources/reviewer'),
    onNotice: (text) => {
      throw new Error(text);
    },
  });
  scratch.scope.add('the containers', () => seals.close());
  return {
    docker: valueOf(await connectDocker(process.env)),
    seals,
    label: `dev.tribune.install=${installId}`,
    request: {
      room: 'room_01J000000000000000000000AA',
      snapshots,
      snapshot: 'snapshot',
      dependencies: [],
      worktree: null,
      session: 'session',
    },
  };
}

async function open({ seals, request }: Bench): Promise<SealedPlace> {
  return valueOf(await seals.open(request, never));
}

async function coldMs({ seals, request }: Bench): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let round = 0; round < COLD_ROUNDS; round += 1) {
    // A room's container is another one for each other room.
    const room = `room_01J00000000000000000000${round}AA` as const;
    const startedAt = performance.now();
    const place = valueOf(await seals.open({ ...request, room }, never));
    taken.push(performance.now() - startedAt);
    await place.close();
  }
  return taken;
}

async function warmMs(bench: Bench): Promise<{ readonly inside: number[]; readonly onHost: number[] }> {
  const taken = { inside: [] as number[], onHost: [] as number[] };
  const place = await open(bench);
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    taken.onHost.push(await firstByteOnHostMs());
    const startedAt = performance.now();
    const running = await startTalking(place);
    taken.inside.push(performance.now() - startedAt);
    running.stop();
    await running.ended;
  }
  await place.close();
  return taken;
}

async function firstByteOnHostMs(): Promise<number> {
  const startedAt = performance.now();
  const [program, ...args] = PROGRAM;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  await new Promise<void>((talked, failed) => {
    child.stdout.once('data', () => {
      talked();
    });
    child.once('error', failed);
  });
  const taken = performance.now() - startedAt;
  const gone = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await gone;
  return taken;
}

/** Starts the program and waits for its first byte. */
async function startTalking(place: SealedPlace): Promise<RunningCli> {
  const talked = Promise.withResolvers<undefined>();
  const [program, ...args] = PROGRAM;
  const launch: CliLaunch = {
    program,
    args,
    environment: {},
    onOutput: () => {
      talked.resolve(undefined);
    },
    onProblem: () => undefined,
    onScreen: () => undefined,
  };
  const running = valueOf(await place.cli.start(launch, never));
  await talked.promise;
  return running;
}

async function stopMs(bench: Bench): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let round = 0; round < STOP_ROUNDS; round += 1) {
    const place = await open(bench);
    await startTalking(place);
    await place.cli.commands?.run(
      { command: 'setsid sleep 300 & echo done', timeoutMs: 10_000, maxBytes: 100, onData: () => undefined },
      never,
    );
    const startedAt = performance.now();
    await place.close();
    taken.push(performance.now() - startedAt);
  }
  return taken;
}

async function leftByTurns(bench: Bench): Promise<number> {
  const turn = async (): Promise<void> => {
    const place = await open(bench);
    const running = await startTalking(place);
    running.stop();
    await running.ended;
    await place.close();
  };
  await turn();
  const before = await held(bench);
  for (let number = 0; number < TURNS; number += 1) await turn();
  return (await held(bench)) - before;
}

/** All that turns could leave, counted together. */
async function held({ docker, label }: Bench): Promise<number> {
  const all = await docker.listContainers({ all: true, filters: { label: [label] } });
  const processes = await Promise.all(
    all.map(async ({ Id }) => {
      const top: unknown = await docker.getContainer(Id).top();
      return JSON.stringify(top).split('],[').length;
    }),
  );
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('tribune-bench')).length;
  const descriptors = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
  return processes.reduce((sum, count) => sum + count, all.length + folders + descriptors);
}
