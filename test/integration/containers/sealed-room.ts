import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type Docker from 'dockerode';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSeals } from '../../../src/main/containers/seals.ts';
import type { SealsOptions } from '../../../src/main/containers/seals.ts';
import { agentUser, ownUser } from '../../../src/main/containers/users.ts';
import type { CliEnd, CliPlace, SealedResult } from '../../../src/main/ports/coding-cli.ts';
import type { SealedPlace, SealRequest, Seals } from '../../../src/main/ports/seals.ts';
import type { OpenGate } from '../../../src/main/ports/turn-gate.ts';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import type { Result } from '../../../src/shared/kernel/result.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Sealing } from '../../support/reviewer-image.ts';

export const resources = resolve(import.meta.dirname, '../../../resources/reviewer');
export const never = new AbortController().signal;

/** A room's directories on the host, a gate that answers, and seals for them. */
export interface SealedRoom {
  readonly docker: Docker;
  readonly seals: Seals;
  readonly folder: string;
  readonly request: SealRequest;
  readonly options: SealsOptions;
  /** Paths that the gate was asked for. */
  readonly asked: readonly string[];
  /** What was reported as not cleaned up. */
  readonly notices: readonly string[];
  /** The containers of this install, in any state. */
  containers(): Promise<readonly Docker.ContainerInfo[]>;
  /** The room's one container. */
  container(): Promise<Docker.Container>;
}

/** All of it is gone after the test. */
export async function sealedRoom(
  { docker, image }: Sealing,
  change: Partial<SealsOptions> = {},
): Promise<SealedRoom> {
  const folder = temporaryFolder('sealed');
  const snapshots = join(folder, 'snapshots');
  const source = join(folder, 'node_modules');
  mkdirSync(join(snapshots, 's1', 'src'), { recursive: true });
  writeFileSync(join(snapshots, 's1', 'src', 'total.js'), 'export const total = 1;\n', { mode: 0o444 });
  mkdirSync(join(source, 'library'), { recursive: true });
  writeFileSync(join(source, 'library', 'index.js'), 'module.exports = 42;\n');
  const asked: string[] = [];
  const gateDirectory = await openGateSocket(join(folder, 'gate'), asked);
  const notices: string[] = [];
  const installId = `test-${randomUUID()}`;
  const options: SealsOptions = {
    clock: systemClock,
    environment: process.env,
    image,
    installId: () => installId,
    bootId: 'boot-1',
    dataDirectory: folder,
    gateDirectory,
    resources,
    bounds: { memoryMb: 2_048, cpus: 2 },
    idleMs: 10 * 60_000,
    onNotice: (text) => void notices.push(text),
    ...change,
  };
  const seals = createSeals(options);
  const containers = (): Promise<Docker.ContainerInfo[]> =>
    docker.listContainers({ all: true, filters: { label: [`dev.tribune.install=${options.installId()}`] } });
  onTestFinished(async () => {
    await seals.close();
    for (const { Id } of await containers()) await docker.getContainer(Id).remove({ force: true });
  });
  return {
    docker,
    seals,
    folder,
    options,
    asked,
    notices,
    containers,
    container: async () => {
      const [only, ...others] = await containers();
      if (only === undefined || others.length > 0) throw new Error('The room has not one container.');
      return docker.getContainer(only.Id);
    },
    request: {
      room: 'room_01J000000000000000000000AA',
      snapshots,
      snapshot: 's1',
      dependencies: [{ path: 'node_modules', source }],
      worktree: null,
      session: 'task/reviewer',
    },
  };
}

async function openGateSocket(directory: string, asked: string[]): Promise<string> {
  mkdirSync(directory, { mode: 0o700 });
  const socket = join(directory, 'gate.sock');
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    request.resume();
    request.on('end', () => response.end(`answer to ${request.url ?? ''}`));
  });
  await new Promise<void>((listening) => server.listen(socket, listening));
  onTestFinished(() => void server.close());
  const { uid, gid } = agentUser(ownUser());
  chmodSync(socket, 0o600);
  if (process.getuid?.() === 0) {
    chownSync(socket, uid, gid);
    chownSync(directory, uid, gid);
  }
  return directory;
}

/** A server of the host on every address, as careless ones are; gives its port. */
export async function openHostPort(): Promise<number> {
  const server = createServer((_request, response) => response.end('the host'));
  await new Promise<void>((listening) => server.listen(0, '0.0.0.0', listening));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.tag}: ${result.failure.message}`);
  return result.value;
}

export async function openPlace(room: SealedRoom, change: Partial<SealRequest> = {}): Promise<SealedPlace> {
  return valueOf(await room.seals.open({ ...room.request, ...change }, never));
}

/** A gate is only asked for where its socket is, which is always the same. */
export function addressIn(cli: CliPlace): string {
  const gate: OpenGate = {
    token: '',
    localUrl: '',
    socketPath: '',
    refusals: () => [],
    close: () => Promise.resolve(),
  };
  return cli.addressOf(gate);
}

export interface Ran extends CliEnd {
  readonly output: string;
  readonly problem: string | null;
  readonly errors: string;
}

/** Runs a program as the agent's, to its end. */
export async function runAsAgent(cli: CliPlace, program: string, ...args: string[]): Promise<Ran> {
  const output: Uint8Array[] = [];
  const errors: Uint8Array[] = [];
  const running = valueOf(
    await cli.start(
      {
        program,
        args,
        environment: {},
        onOutput: (chunk) => void output.push(chunk),
        onProblem: (chunk) => void errors.push(chunk),
        onScreen: () => undefined,
      },
      never,
    ),
  );
  running.endInput();
  const end = await running.ended;
  return { ...end, output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString() };
}

export async function runCommand(
  cli: CliPlace,
  command: string,
  change: { readonly timeoutMs?: number; readonly maxBytes?: number } = {},
): Promise<SealedResult> {
  expect(cli.commands).not.toBeNull();
  const bounds = { timeoutMs: 20_000, maxBytes: 100_000, onData: () => undefined, ...change };
  const ran = await cli.commands?.run({ command, ...bounds }, never);
  if (ran === undefined) throw new Error('This place runs no commands.');
  return valueOf(ran);
}

const topAnswer = z.object({ Processes: z.array(z.array(z.string())) });

/** Processes of the container's users but the keeper's and our own forwarder, as the host sees them. */
export async function processesIn(container: Docker.Container): Promise<readonly string[]> {
  const { Processes } = topAnswer.parse(await container.top({ ps_args: '-eo uid,pid,args' }));
  return Processes.map((columns) => columns.join(' ')).filter(
    (line) => !line.includes('sleep infinity') && !line.includes('--input-type=module'),
  );
}
