import { expect, it } from 'vitest';
import { describeWithReviewerImage } from '../../../support/reviewer-image.ts';
import { attackedRoom, treeHash } from './attacked-room.ts';

describeWithReviewerImage('an attack from inside a container', (sealing) => {
  it('as the user of the commands changes nothing, reaches nobody, and speaks as nobody else', async () => {
    const { room, place, agent, attackAsTester } = await attackedRoom(sealing);
    const before = treeHash(room.request.snapshots);
    const attempts = await attackAsTester('quiet');
    expect(attempts.length).toBeGreaterThan(150);
    expect(attempts.filter(({ worked }) => worked)).toEqual([]);
    // A verdict would have been posted here.
    expect(room.asked).toEqual([]);
    expect(treeHash(room.request.snapshots)).toBe(before);
    // The agent's program has noticed nothing of it.
    agent.stop();
    expect(await agent.ended).toEqual({ exitCode: null, by: 'stopped', problem: null });
    await place.close();
  });

  it("as the agent's own user changes nothing and reaches nobody", async () => {
    const { room, place, agent, attackAsAgent } = await attackedRoom(sealing);
    agent.stop();
    await agent.ended;
    const before = treeHash(room.request.snapshots);
    const attempts = await attackAsAgent('quiet');
    expect(attempts.length).toBeGreaterThan(110);
    expect(attempts.filter(({ worked }) => worked)).toEqual([]);
    expect(treeHash(room.request.snapshots)).toBe(before);
    await place.close();
  });
});
