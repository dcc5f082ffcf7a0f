import { describe, expect, test } from 'vitest';
import type { RoomSettingsInput } from '../../../src/shared/contract/room.ts';
import { GitProject } from '../../support/git-project.ts';
import { HostBench, questionOf } from '../../support/host-bench.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { after, gate, reads, speaks, submits, writes } from '../../support/scripted-roles.ts';
import type { RoleScripts, Step } from '../../support/scripted-roles.ts';

/** A reply that alone uses up any budget of these tests: 3 USD at the list price of the standard model. */
const dear = { usage: { input_tokens: 10, output_tokens: 200_000 } };
const cheap = { usage: { input_tokens: 10, output_tokens: 10 } };

const looks = reads('cart.txt');
const looksDearly = reads('cart.txt', dear);

async function benchWith(
  roles: RoleScripts,
  budget: RoomSettingsInput['budget'],
  clock?: ManualClock,
): Promise<HostBench> {
  const bench = await HostBench.open({ roles, ...(clock === undefined ? {} : { clock }) });
  await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }), { budget });
  return bench;
}

describe('a budget that is used up', () => {
  test.each([
    { limit: 'usd', budget: { usd: 1 } },
    { limit: 'tokens', budget: { tokens: 1_000 } },
  ] as const)(
    'in $limit: the turn may wrap up, a person is asked before the next, and one more is granted',
    async ({ limit, budget }) => {
      const bench = await benchWith(
        {
          owner: [looksDearly, writes('cart.txt', 'half\n'), submits('DONE'), speaks('', cheap)],
          reviewer: [submits('DONE', {}, cheap)],
        },
        budget,
      );
      const asked = await bench.work('shop', 'Fill the cart.');
      expect(questionOf(asked)).toMatchObject({ limit, answers: ['accept', 'send_back', 'go_on', 'stop'] });
      expect(asked.changes).toMatchObject([{ path: 'cart.txt' }]);
      expect(bench.roles.callsOf('owner')[1]?.newest).toContain('You have 3 replies left');
      const { task } = await bench.answer(asked, 'go_on');
      expect(task.ending).toBe('reviewed');
    },
  );

  test('cuts a turn off that does not wrap up in three calls, with its content kept', async () => {
    const bench = await benchWith(
      { owner: [looksDearly, writes('cart.txt', 'half\n'), looks, looks] },
      { usd: 1 },
    );
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked)).toMatchObject({ limit: 'usd' });
    expect(asked.changes).toMatchObject([{ path: 'cart.txt' }]);
    const [, , third, fourth] = bench.roles.callsOf('owner');
    expect(third?.newest).toContain('You have 2 replies left');
    expect(fourth?.newest).toContain('This is your last reply');
    expect(bench.roles.callsOf('owner')).toHaveLength(4);
  });

  test('in minutes of running turns, as the clock has it', async () => {
    const clock = new ManualClock();
    const thinks = (step: Step): Step =>
      after(() => {
        clock.advance(61_000);
      }, step);
    const bench = await benchWith(
      {
        owner: [thinks(looks), writes('cart.txt', 'full\n'), submits('DONE'), speaks('')],
        reviewer: [submits('DONE')],
      },
      { minutes: 1 },
      clock,
    );
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked)).toMatchObject({ limit: 'minutes' });
    expect((await bench.answer(asked, 'go_on')).task.ending).toBe('reviewed');
  });

  test('ends the grace after three minutes, whatever the model does then', async () => {
    const clock = new ManualClock();
    const hanging = gate();
    const thinks = (step: Step): Step =>
      after(() => {
        clock.advance(61_000);
      }, step);
    const bench = await benchWith(
      {
        owner: [
          after(
            () => {
              clock.advance(61_000);
            },
            writes('cart.txt', 'half\n'),
          ),
          thinks(looks),
          thinks(looks),
          after(() => hanging.pass(), looks),
        ],
      },
      { minutes: 1 },
      clock,
    );
    const task = await bench.send('shop', 'Fill the cart.');
    await hanging.reached;
    clock.advance(59_000);
    const asked = await bench.settled(task);
    hanging.open();
    expect(questionOf(asked)).toMatchObject({ limit: 'minutes' });
    expect(asked.changes).toMatchObject([{ path: 'cart.txt' }]);
  });

  test('in rounds: a person is asked before the next turn, and their answer begins the count anew', async () => {
    const bench = await benchWith(
      {
        owner: [
          writes('cart.txt', 'half\n'),
          submits('DONE'),
          writes('cart.txt', 'full\n'),
          submits('DONE'),
          speaks(''),
        ],
        reviewer: [speaks('Not yet.'), speaks('Not yet.'), submits('DONE')],
      },
      { rounds: 1 },
    );
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked)).toMatchObject({ limit: 'rounds' });
    expect((await bench.answer(asked, 'go_on')).task.ending).toBe('reviewed');
  });

  test('what a model without a known price used is bounded by tokens', async () => {
    const bench = await benchWith({ owner: [looksDearly, submits('BLOCKED')] }, { usd: 1, tokens: 1_000 });
    const rooms = await bench.ask('rooms.list', {});
    const settings = rooms[0]?.settings;
    if (settings === undefined) throw new Error('There is no room.');
    const owner = { engine: 'anthropic', model: 'made-up-1', maxTokens: null, command: null } as const;
    await bench.ask('rooms.update', { room: 'shop', settings: { ...settings, roles: { owner } } });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked)).toMatchObject({ limit: 'tokens' });
  });
});
