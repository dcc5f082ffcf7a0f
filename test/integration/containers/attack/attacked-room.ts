import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { RunningCli } from '../../../../src/main/ports/coding-cli.ts';
import type { SealedPlace } from '../../../../src/main/ports/seals.ts';
import type { Sealing } from '../../../support/reviewer-image.ts';
import {
  addressIn,
  never,
  openHostPort,
  openPlace,
  runAsAgent,
  runCommand,
  sealedRoom,
  valueOf,
} from '../sealed-room.ts';
import type { SealedRoom } from '../sealed-room.ts';

const attempt = z.object({ name: z.string(), worked: z.boolean(), detail: z.string() });
export type Attempt = z.infer<typeof attempt>;

/** A room whose snapshot attacks, with the agent's program at work beside it. */
export interface AttackedRoom {
  readonly room: SealedRoom;
  readonly place: SealedPlace;
  /** The agent's program, which does nothing. */
  readonly agent: RunningCli;
  readonly attackAsTester: (part: string) => Promise<readonly Attempt[]>;
  readonly attackAsAgent: (part: string) => Promise<readonly Attempt[]>;
}

export async function attackedRoom(sealing: Sealing): Promise<AttackedRoom> {
  const room = await sealedRoom(sealing);
  const snapshot = join(room.request.snapshots, 's1');
  copyFileSync(join(import.meta.dirname, 'attack.mjs'), join(snapshot, 'attack.mjs'));
  const hostSecret = join(room.folder, 'secret');
  writeFileSync(hostSecret, 'host secret');
  symlinkSync(hostSecret, join(snapshot, 'absolute-link'));
  symlinkSync('../../secret', join(snapshot, 'relative-link'));
  mountBelow(join(snapshot, 'sub'));
  // What is not written must not be so for want of a mode.
  for (const folder of [room.request.snapshots, ...room.request.dependencies.map(({ source }) => source)]) {
    allowAll(folder);
  }
  await listenAbstractly();
  const place = await openPlace(room);
  const secretFile = valueOf(await place.cli.layDown('mcp.json', 'the token of the turn'));
  const { agent, agentId } = await startAgent(place);
  const port = Number(new URL(addressIn(place.cli)).port);
  const given = { port, agentId, hostPort: await openHostPort(), hostSecret, secretFile };
  const argument = (role: string, part: string): string => JSON.stringify({ ...given, role, part });
  return {
    room,
    place,
    agent,
    attackAsTester: async (part) => {
      const command = `node attack.mjs '${argument('tester', part)}'`;
      const { output } = await runCommand(place.cli, command, { timeoutMs: 25_000 });
      return attemptsIn(output, output);
    },
    attackAsAgent: async (part) => {
      const script = '/snapshots/s1/attack.mjs';
      const { output, errors } = await runAsAgent(place.cli, 'node', script, argument('agent', part));
      return attemptsIn(output, errors);
    },
  };
}

function attemptsIn(output: string, said: string): readonly Attempt[] {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  const attempts = lines.map((line) => attempt.parse(JSON.parse(line)));
  expect(attempts.at(-1)?.name, said.slice(-2_000)).toBe('end');
  return attempts;
}

async function startAgent(place: SealedPlace): Promise<{ agent: RunningCli; agentId: number }> {
  const said = Promise.withResolvers<string>();
  const started = await place.cli.start(
    {
      program: 'sh',
      args: ['-c', 'echo $$; exec sleep 1000'],
      environment: { TOKEN: 'the token of the turn' },
      onOutput: (chunk) => {
        said.resolve(Buffer.from(chunk).toString());
      },
      onProblem: () => undefined,
      onScreen: () => undefined,
    },
    never,
  );
  return { agent: valueOf(started), agentId: Number(await said.promise) };
}

/** Mounts something writable below a snapshot, where this test may: Debian's engine would leave it writable. */
function mountBelow(folder: string): void {
  mkdirSync(folder);
  if (process.getuid?.() !== 0) return;
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
}

function allowAll(folder: string): void {
  chmodSync(folder, 0o777);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o777);
  }
}

/** Abstract sockets have no file: only their network namespace keeps others from them. */
async function listenAbstractly(): Promise<void> {
  const server = createServer((peer) => peer.end('the host'));
  await new Promise<void>((listening) => server.listen('\0tribune-attack', listening));
  onTestFinished(() => void server.close());
}

/** Everything about what lies below a folder that could be changed. */
export function treeHash(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const { mode, mtimeMs, uid, size } = lstatSync(path);
    const isFile = lstatSync(path).isFile();
    hash.update(JSON.stringify([name, mode, mtimeMs, uid, isFile ? size : 0]));
    if (isFile) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
