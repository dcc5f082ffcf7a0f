import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTurnGates } from '../../../src/main/gate/turn-gates.ts';
import type { TurnGatesOptions } from '../../../src/main/gate/turn-gates.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, openGates } from './support.ts';

const options: Omit<TurnGatesOptions, 'directory'> = {
  agentUser: null,
  clock: new ManualClock(),
  usdOf: () => null,
  onEvent: () => undefined,
};

const isRoot = userInfo().uid === 0;

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

describe('where gates listen', () => {
  it('is closed to other users, and gone with the host', async () => {
    const directory = join(temporaryFolder('gate'), 'new', 'gate');
    const opened = await openTurnGates({ ...options, directory });
    if (!opened.ok) throw new Error(opened.failure.message);
    const { socketPath, localUrl } = opened.value;
    expect(socketPath).toBe(join(directory, 'gate.sock'));
    expect([modeOf(directory), modeOf(socketPath)]).toEqual([0o700, 0o600]);
    expect(localUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await ask({ localUrl }, { path: '/mcp', socketPath })).status).toBe(401);
    await opened.value.close();
    expect(existsSync(socketPath)).toBe(false);
    await expect(ask({ localUrl }, { path: '/mcp' })).rejects.toThrow('ECONNREFUSED');
  });

  it('takes the place of what a host that died has left, and closes a folder that was open', async () => {
    const directory = temporaryFolder('gate');
    chmodSync(directory, 0o755);
    const socket = join(directory, 'gate.sock');
    const dying = `require('node:net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await new Promise((resolve) => spawn(process.execPath, ['-e', dying]).once('close', resolve));
    expect(existsSync(socket)).toBe(true);
    const opened = await openTurnGates({ ...options, directory });
    if (!opened.ok) throw new Error(opened.failure.message);
    const { localUrl, socketPath } = opened.value;
    expect(modeOf(directory)).toBe(0o700);
    expect((await ask({ localUrl }, { path: '/', socketPath })).status).toBe(401);
    await opened.value.close();
  });

  it.each([
    [
      'a file where the socket has to be',
      'gate_blocked',
      (folder: string) => {
        writeFileSync(join(folder, 'gate.sock'), 'mine');
        return folder;
      },
    ],
    [
      'a file where the folder has to be',
      'gate_failed',
      (folder: string) => {
        writeFileSync(join(folder, 'gate'), 'mine');
        return join(folder, 'gate');
      },
    ],
    ['a path that is too long', 'gate_path_too_long', (folder: string) => join(folder, 'x'.repeat(90))],
  ])('is not to be had with %s, which is left as it is', async (_what, tag, prepare) => {
    const folder = temporaryFolder('gate');
    const opened = await openTurnGates({ ...options, directory: prepare(folder) });
    expect(opened).toMatchObject({ ok: false, failure: { tag, next: expect.any(String) as string } });
    expect(existsSync(join(folder, 'x'.repeat(90)))).toBe(false);
  });

  it.runIf(isRoot)('belongs to the user of the agents, who can connect, and to no other', async () => {
    const agent = { uid: 23_456, gid: 23_456 };
    const other = { uid: 23_457, gid: 23_457 };
    const outer = temporaryFolder('gate');
    // The way there is open, as it is in a container.
    chmodSync(outer, 0o755);
    const directory = join(outer, 'gate');
    mkdirSync(directory);
    const { gates } = await openGates({ directory, agentUser: agent });
    expect(statSync(directory).uid).toBe(0);
    expect(statSync(gates.socketPath)).toMatchObject(agent);
    const program = `import('node:net').then(({ connect }) => connect(${JSON.stringify(gates.socketPath)})
      .on('connect', () => process.exit(0)).on('error', (error) => { console.log(error.code); process.exit(7); }))`;
    const connectAs = (user: typeof agent): Promise<unknown> =>
      new Promise((resolve) => {
        spawn(process.execPath, ['-e', program], { ...user, cwd: '/', stdio: 'ignore' }).once(
          'close',
          resolve,
        );
      });
    expect(await connectAs(agent)).toBe(0);
    expect(await connectAs(other)).toBe(7);
  });
});
