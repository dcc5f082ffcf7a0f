import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type Docker from 'dockerode';
import { connectDocker } from '../src/main/containers/docker-connection.ts';
import { createSeals } from '../src/main/containers/seals.ts';
import type { RunningCli } from '../src/main/ports/coding-cli.ts';
import type { SealedPlace, SealRequest, Seals } from '../src/main/ports/seals.ts';
import { systemClock } from '../src/shared/kernel/clock.ts';
import { prepared } from '../test/support/prepare/prepared.ts';
import { valueOf } from './programs.ts';
import type { Scratch } from './scratch.ts';

/** Longer than any measurement leaves a container alone. */
const IDLE_MS = 10 * 60_000;

export const never = new AbortController().signal;

/** Containers of a room whose snapshot is one small file. */
export interface SealBench {
  readonly docker: Docker;
  readonly seals: Seals;
  readonly request: SealRequest;
  /** What its containers are told by. */
  readonly label: string;
}

/** A program that prints something by itself, and runs on pipes until it is ended. */
export interface Talker {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** What it reads before it talks. */
  readonly input: string;
}

/** Needs a container engine; the reviewer image is built where it is not there. */
export async function openSealBench(scratch: Scratch): Promise<SealBench> {
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
    dataDirectory: snapshots,
    gateDirectory: scratch.folder('gate'),
    resources: resolve(import.meta.dirname, '../resources/reviewer'),
    bounds: { memoryMb: 2_048, cpus: 2 },
    idleMs: IDLE_MS,
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

export async function openPlace({ seals, request }: SealBench): Promise<SealedPlace> {
  return valueOf(await seals.open(request, never));
}

/** Starts a program in a container and waits for its first byte. */
export async function startTalking(place: SealedPlace, talker: Talker): Promise<RunningCli> {
  const talked = Promise.withResolvers<undefined>();
  const running = valueOf(
    await place.cli.start(
      {
        program: talker.program,
        args: talker.args,
        environment: talker.environment,
        onOutput: () => {
          talked.resolve(undefined);
        },
        onProblem: () => undefined,
        onScreen: () => undefined,
      },
      never,
    ),
  );
  running.write(talker.input);
  running.endInput();
  const silent = running.ended.then(() => {
    throw new Error(`${talker.program} ended in its container without a word.`);
  });
  await Promise.race([talked.promise, silent]);
  silent.catch(() => undefined);
  return running;
}

/** From the start of a program on the host until its first byte. */
export async function firstByteOnHostMs(talker: Talker, directory: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(talker.program, talker.args, {
    cwd: directory,
    env: { PATH: process.env['PATH'], ...talker.environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const gone = once(child, 'close');
  child.stdin.end(talker.input);
  const talked = once(child.stdout, 'data').then(() => true);
  if (!(await Promise.race([talked, gone.then(() => false)]))) {
    throw new Error(`${talker.program} ended on the host without a word.`);
  }
  const taken = performance.now() - startedAt;
  child.kill('SIGKILL');
  await gone;
  return taken;
}
