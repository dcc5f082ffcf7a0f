import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClientGuard } from '../../../src/main/gateway/socket/peer/client-guard.ts';
import type { Refusal, SeenProcess } from '../../../src/main/gateway/socket/peer/client-guard.ts';
import { readPeer } from '../../../src/main/gateway/socket/peer/peer-credentials.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const uid = process.getuid?.() ?? -1;

/** A socket, and the host's end of the connection that `connect` makes to it. */
async function connection(connect: (path: string) => unknown): Promise<Socket> {
  const path = join(temporaryFolder('peer'), 'socket');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  connect(path);
  const socket = await accepted;
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return socket;
}

const fromHere = (): Promise<Socket> =>
  connection((path) => {
    const client = createConnection(path);
    onTestFinished(() => {
      client.destroy();
    });
  });

function guardThatSees(seen: SeenProcess | null): {
  readonly guard: ReturnType<typeof createClientGuard>;
  readonly refusals: Refusal[];
} {
  const refusals: Refusal[] = [];
  const guard = createClientGuard({
    see: () => Promise.resolve(seen),
    refused: (refusal) => refusals.push(refusal),
  });
  return { guard, refusals };
}

describe.runIf(process.platform === 'linux' || process.platform === 'darwin')(
  'the peer of a connection',
  () => {
    it('is the process that opened it, with its user', async () => {
      expect(await readPeer(await fromHere())).toEqual({ ok: true, value: { pid: process.pid, uid } });
      let pid: number | undefined;
      const socket = await connection((path) => {
        const script = `require('node:net').createConnection(process.argv[1])`;
        const child = spawn(process.execPath, ['-e', script, path], { stdio: 'ignore' });
        pid = child.pid;
        const gone = once(child, 'exit');
        onTestFinished(async () => {
          child.kill();
          await gone;
        });
      });
      expect(await readPeer(socket)).toEqual({ ok: true, value: { pid, uid } });
    });

    it('is not known once the connection is closed', async () => {
      const socket = await fromHere();
      socket.destroy();
      expect(await readPeer(socket)).toMatchObject({
        ok: false,
        failure: { tag: 'peer_unknown', message: expect.stringContaining('closed') as string },
      });
    });

    it('is let in and named where it is a person’s', async () => {
      const { guard, refusals } = guardThatSees({ names: ['node', 'zsh', 'login'], ofAgent: false });
      expect(await guard.admit(await fromHere(), 'tasks.stop')).toEqual({
        ok: true,
        value: `a client of the socket, pid ${process.pid} (node < zsh < login), uid ${uid}`,
      });
      expect(refusals).toEqual([]);
    });

    it('is refused, and noted, where it is an agent’s', async () => {
      const { guard, refusals } = guardThatSees({ names: ['node', 'sh'], ofAgent: true });
      const admitted = await guard.admit(await fromHere(), 'escalations.answer');
      expect(admitted).toMatchObject({ ok: false, failure: { tag: 'agent_refused' } });
      expect(refusals).toEqual([
        {
          method: 'escalations.answer',
          client: `a client of the socket, pid ${process.pid} (node < sh), uid ${uid}`,
          reason: admitted.ok ? '' : admitted.failure.message,
        },
      ]);
    });

    it('is refused where it is gone, and let in as unknown where nobody can tell', async () => {
      const { guard, refusals } = guardThatSees(null);
      const socket = await fromHere();
      expect(await guard.admit(socket, 'tasks.apply')).toMatchObject({ failure: { tag: 'client_gone' } });
      expect(refusals).toHaveLength(1);
      socket.destroy();
      expect(await guard.admit(socket, 'tasks.apply')).toMatchObject({
        ok: true,
        value: expect.stringContaining('not known') as string,
      });
    });
  },
);
