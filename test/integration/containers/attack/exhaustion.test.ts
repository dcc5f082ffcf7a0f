import { expect, it } from 'vitest';
import { describeWithReviewerImage } from '../../../support/reviewer-image.ts';
import { openPlace, runCommand } from '../sealed-room.ts';
import { attackedRoom } from './attacked-room.ts';

describeWithReviewerImage('whoever uses up what a container has', (sealing) => {
  it('as the user of the commands gets no more than its bounds, and leaves nothing behind', async () => {
    const { room, place, attackAsTester } = await attackedRoom(sealing);
    for (const part of ['processes', 'memory', 'space']) {
      expect((await attackAsTester(part)).filter(({ worked }) => worked)).toEqual([]);
    }
    await place.close();
    const next = await openPlace(room);
    expect((await runCommand(next.cli, 'ls /workbench /tmp')).output).toBe(
      '/tmp:\n\n/workbench:\ncopy\nhome\ntmp\n',
    );
    await next.close();
  });

  it("as the agent's user gets no more than its bounds", async () => {
    const { place, agent, attackAsAgent } = await attackedRoom(sealing);
    agent.stop();
    await agent.ended;
    for (const part of ['processes', 'memory', 'space']) {
      expect((await attackAsAgent(part)).filter(({ worked }) => worked)).toEqual([]);
    }
    await place.close();
  });
});
