import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { describeWithReviewerImage } from '../../support/reviewer-image.ts';
import { openPlace, processesIn, runAsAgent, runCommand, sealedRoom } from './sealed-room.ts';
import type { SealedRoom } from './sealed-room.ts';

const TURNS = 20;

async function turn(room: SealedRoom): Promise<void> {
  const place = await openPlace(room);
  await place.cli.layDown('mcp.json', '{}');
  const leaving =
    'touch "$TMPDIR/left" /tmp/left-$$ /dev/shm/left-$$; mkdir "$TMPDIR/folder"; setsid sleep 300 &';
  await runAsAgent(place.cli, 'sh', '-c', leaving);
  await runCommand(place.cli, `${leaving} echo done`);
  await place.close();
}

/** What a turn could leave: descriptors here, and files and processes inside. */
async function left(room: SealedRoom): Promise<unknown> {
  const place = await openPlace(room);
  const { output } = await runAsAgent(
    place.cli,
    'sh',
    '-c',
    'find /home/agent /tmp /dev/shm -mindepth 1 | sort',
  );
  const files = output.split('\n').filter((line) => !line.endsWith('/.tribune-tmp'));
  await place.close();
  return {
    files,
    processes: await processesIn(await room.container()),
    containers: (await room.containers()).length,
    descriptors: readdirSync('/proc/self/fd').length,
    folders: readdirSync(tmpdir()).filter((name) => name.startsWith('tribune-sealed')).length,
  };
}

describeWithReviewerImage('turn after turn', (sealing) => {
  it.runIf(process.platform === 'linux')(
    `leaves no container, process, descriptor, file or folder after ${TURNS} turns`,
    { timeout: 60_000 },
    async () => {
      const room = await sealedRoom(sealing);
      await turn(room);
      const before = await left(room);
      expect(before).toMatchObject({ processes: [], containers: 1 });
      for (let number = 1; number <= TURNS; number += 1) await turn(room);
      expect(await left(room)).toEqual(before);
      expect(room.notices).toEqual([]);
      await room.seals.close();
      expect(await room.containers()).toEqual([]);
    },
  );
});
