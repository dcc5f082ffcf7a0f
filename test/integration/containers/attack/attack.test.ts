import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { CliPlace, RunningCli } from '../../../../src/main/ports/coding-cli.ts';
import type { SealedPlace } from '../../../../src/main/ports/seals.ts';
import { describeWithReviewerImage } from '../../../support/reviewer-image.ts';
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
type Attempt = z.infer<typeof attempt>;

/** Everything about what lies below a folder that could be changed. */
function treeHash(folder: string): string {
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

describeWithReviewerImage('an attack from inside a container', (sealing) => {
  let room: SealedRoom;
  let place: SealedPlace;
  let agent: RunningCli;
  let given: Record<string, unknown>;

  beforeEach(async () => {
    room = await sealedRoom(sealing);
    const snapshot = join(room.request.snapshots, 's1');
    copyFileSync(join(import.meta.dirname, 'attack.mjs'), join(snapshot, 'attack.mjs'));
    const hostSecret = join(room.folder, 'secret');
    writeFileSync(hostSecret, 'host secret');
    symlinkSync(hostSecret, join(snapshot, 'absolute-link'));
    symlinkSync('../../secret', join(snapshot, 'relative-link'));
    mountBelow(join(snapshot, 'sub'));
    const abstract = createServer((peer) => peer.end('the host'));
    await new Promise<void>((listening) => abstract.listen('\0tribune-attack', listening));
    onTestFinished(() => void abstract.close());
    place = await openPlace(room);
    const secretFile = valueOf(await place.cli.layDown('mcp.json', 'the token of the turn'));
    let said = '';
    agent = valueOf(
      await place.cli.start(
        {
          program: 'sh',
          args: ['-c', 'echo $$; exec sleep 1000'],
          environment: { TOKEN: 'the token of the turn' },
          onOutput: (chunk) => void (said += Buffer.from(chunk).toString()),
          onProblem: () => undefined,
          onScreen: () => undefined,
        },
        never,
      ),
    );
    await expect.poll(() => said).toMatch(/\d+\n/);
    const port = Number(new URL(addressIn(place.cli)).port);
    given = { port, agentId: Number(said), hostPort: await openHostPort(), hostSecret, secretFile };
  });

  it('as the user of the commands changes nothing, reaches nobody, and speaks as nobody else', async () => {
    const before = treeHash(room.request.snapshots);
    const attempts = await attackAsTester(place.cli, 'quiet');
    expect(attempts.length).toBeGreaterThan(150);
    expect(attempts.filter(({ worked }) => worked)).toEqual([]);
    expect(room.asked).toEqual([]);
    expect(treeHash(room.request.snapshots)).toBe(before);
    // The agent's program has noticed nothing of it.
    agent.stop();
    expect(await agent.ended).toMatchObject({ by: 'stopped' });
    await place.close();
  });

  it('as the user of the commands exhausts no processes, memory or space', async () => {
    for (const part of ['processes', 'memory', 'space']) {
      const attempts = await attackAsTester(place.cli, part);
      expect(attempts.filter(({ worked }) => worked)).toEqual([]);
    }
    await place.close();
    const next = await openPlace(room);
    expect((await runCommand(next.cli, 'ls /work /tmp')).output).toBe('/tmp:\n\n/work:\ncopy\nhome\ntmp\n');
    await next.close();
  });

  it("as the agent's own user changes nothing and reaches nobody", async () => {
    agent.stop();
    await agent.ended;
    const before = treeHash(room.request.snapshots);
    for (const part of ['quiet', 'processes', 'memory', 'space']) {
      const argument = JSON.stringify({ ...given, role: 'agent', part });
      const { output, errors } = await runAsAgent(place.cli, 'node', '/snapshots/s1/attack.mjs', argument);
      const attempts = attemptsIn(output, errors);
      expect(attempts.filter(({ worked }) => worked)).toEqual([]);
    }
    expect(treeHash(room.request.snapshots)).toBe(before);
    await place.close();
  });

  async function attackAsTester(cli: CliPlace, part: string): Promise<readonly Attempt[]> {
    const argument = JSON.stringify({ ...given, role: 'tester', part });
    const { output } = await runCommand(cli, `node attack.mjs '${argument}'`, { timeoutMs: 25_000 });
    return attemptsIn(output, output);
  }
});

function attemptsIn(output: string, said: string): readonly Attempt[] {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  const attempts = lines.map((line) => attempt.parse(JSON.parse(line)));
  expect(attempts.at(-1)?.name, said.slice(-2_000)).toBe('end');
  return attempts;
}

/** Mounts something writable below a snapshot, where this test may: Debian's engine would leave it writable. */
function mountBelow(folder: string): void {
  mkdirSync(folder);
  if (process.getuid?.() !== 0) return;
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
}
