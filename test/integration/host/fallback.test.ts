import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { roomSettingsSchema } from '../../../src/shared/contract/room.ts';
import { GitProject } from '../../support/git-project.ts';
import { HostBench } from '../../support/host-bench.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { refuses, speaks, submits, writes } from '../../support/scripted-roles.ts';
import type { RoleScripts, Step } from '../../support/scripted-roles.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const accounts = [
  { name: 'work', key: { environment: 'WORK_KEY' } },
  { name: 'spare', key: { environment: 'SPARE_KEY' } },
];
const environment = { WORK_KEY: 'work-key', SPARE_KEY: 'spare-key' };

/** The account is used up, and is there again after so long. */
function usedUp(clock: ManualClock, resetMs: number): Step {
  return (call) =>
    refuses(429, 'rate_limit_error', 'This would exceed your limit.', {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(Math.round((clock.now() + resetMs) / 1_000)),
    })(call);
}

interface Setting {
  readonly clock: ManualClock;
  readonly roles: RoleScripts;
  readonly config?: object;
}

async function benchWith({ clock, roles, config }: Setting): Promise<HostBench> {
  const bench = await HostBench.open({
    roles,
    clock,
    environment,
    config: { engines: { anthropic: { accounts } }, ...config },
  });
  await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }));
  return bench;
}

/** What each turn of the task ran on, in order. */
function ranOn(bench: HostBench): readonly string[] {
  return bench
    .eventsOf('turn.started')
    .map(({ data }) => `${String(data['role'])} ${String(data['account'] ?? data['engine'])}`);
}

function said(bench: HostBench): string {
  return bench
    .eventsOf('message.sent')
    .map(({ data }) => String(data['text']))
    .join('\n');
}

const works = [writes('cart.txt', 'full\n'), submits('DONE')];

describe('an account that is used up', () => {
  test('gives the same turn to the next one, and is left alone until its reset', async () => {
    const clock = new ManualClock();
    const bench = await benchWith({
      clock,
      roles: { owner: [usedUp(clock, HOUR_MS), ...works, speaks('')], reviewer: [submits('DONE')] },
    });
    const { task, turns } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(ranOn(bench)).toEqual(['owner work', 'owner spare', 'reviewer spare', 'owner spare']);
    expect(turns[0]).toMatchObject({ number: 1, attempts: 2 });
    expect(bench.eventsOf('turn.failed')).toEqual([]);
    expect(bench.eventsOf('engine.exhausted')).toMatchObject([
      { data: { engine: 'anthropic', account: 'work', until: clock.now() + HOUR_MS, passes: true } },
    ]);
    expect(bench.eventsOf('turn.handed_over').map(({ data }) => [data['from'], data['to']])).toMatchObject([
      [{ account: 'work' }, { account: 'spare' }],
      [{ account: 'work' }, { account: 'spare' }],
    ]);
    expect(said(bench)).toContain('The owner goes on with anthropic (account spare)');
  });

  test('is preferred again when its limit has passed, and the room is told', async () => {
    const clock = new ManualClock();
    const approves: Step = (call) => {
      clock.advance(MINUTE_MS);
      return submits('DONE')(call);
    };
    const bench = await benchWith({
      clock,
      roles: { owner: [usedUp(clock, MINUTE_MS), ...works, speaks('')], reviewer: [approves] },
    });
    await bench.work('shop', 'Fill the cart.');
    expect(ranOn(bench)).toEqual(['owner work', 'owner spare', 'reviewer spare', 'owner work']);
    expect(said(bench)).toContain('The owner is back on anthropic (account work).');
  });

  test('that lets nobody in makes no difference to its turn where there is another', async () => {
    const clock = new ManualClock();
    const refused = refuses(403, 'permission_error', 'Your organization has no access.');
    const bench = await benchWith({
      clock,
      roles: { owner: [refused, ...works, speaks('')], reviewer: [submits('DONE')] },
    });
    expect((await bench.work('shop', 'Fill the cart.')).task.ending).toBe('reviewed');
    expect(bench.eventsOf('engine.exhausted')).toMatchObject([{ data: { account: 'work', passes: false } }]);
  });

  test('and all others that let nobody in: a person is asked, and "try again" tries the first one again', async () => {
    const clock = new ManualClock();
    const refused = refuses(401, 'authentication_error', 'The login has expired.');
    const bench = await benchWith({
      clock,
      roles: { owner: [refused, refused, ...works, speaks('')], reviewer: [submits('DONE')] },
    });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(asked.escalation?.text).toContain('The login has expired.');
    expect((await bench.answer(asked, 'try_again')).task.ending).toBe('reviewed');
    expect(ranOn(bench).slice(0, 3)).toEqual(['owner work', 'owner spare', 'owner work']);
  });

  test('whose key is missing is passed over, and the record says so', async () => {
    const clock = new ManualClock();
    const broken = [{ name: 'gone', key: { environment: 'NO_SUCH_KEY' } }, ...accounts];
    const bench = await benchWith({
      clock,
      roles: { owner: [...works, speaks('')], reviewer: [submits('DONE')] },
      config: { engines: { anthropic: { accounts: broken } } },
    });
    expect((await bench.work('shop', 'Fill the cart.')).task.ending).toBe('reviewed');
    expect(ranOn(bench)[0]).toBe('owner work');
    expect(bench.eventsOf('turn.noticed')[0]?.data['text']).toContain('NO_SUCH_KEY is not set');
  });
});

describe('an engine of which every account is used up', () => {
  const fallback = {
    engine: 'command',
    // What was begun before it is told, so it finds the marks of that.
    command: ['sh', '-c', 'grep -q "+half" && echo full > cart.txt; echo DONE'],
  };

  test('hands the turn to the fallback: same role, same task, with what was begun', async () => {
    const clock = new ManualClock();
    const bench = await benchWith({
      clock,
      roles: {
        owner: [writes('cart.txt', 'half\n'), usedUp(clock, HOUR_MS), usedUp(clock, 2 * HOUR_MS)],
        reviewer: [],
      },
      config: {
        engines: { anthropic: { accounts } },
        fallbacks: { owner: fallback, reviewer: { engine: 'command', command: ['sh', '-c', 'echo DONE'] } },
      },
    });
    const { task, criteria, turns } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 0 });
    expect(criteria).toHaveLength(1);
    expect(turns[0]).toMatchObject({ number: 1, attempts: 3, verdict: 'DONE' });
    expect((await bench.ask('tasks.diff', { task: task.id })).text).toContain('+full');
    expect(ranOn(bench)).toEqual([
      'owner work',
      'owner spare',
      'owner command',
      'reviewer command',
      'owner command',
    ]);
  });

  test('without one the room waits until the earliest reset, says so, and goes on then', async () => {
    const clock = new ManualClock();
    const bench = await benchWith({
      clock,
      roles: {
        owner: [usedUp(clock, 3 * HOUR_MS), usedUp(clock, 2 * HOUR_MS), ...works, speaks('')],
        reviewer: [submits('DONE')],
      },
    });
    const after = bench.lastSeq;
    const task = await bench.send('shop', 'Fill the cart.');
    const waits = await bench.until(({ type }) => type === 'room.waits');
    const until = clock.now() + 2 * HOUR_MS;
    expect(waits.data).toMatchObject({ role: 'owner', until, account: 'spare' });
    await bench.until(
      ({ type, data }) => type === 'message.sent' && /waits until/.test(String(data['text'])),
    );
    expect((await bench.show(task)).task).toMatchObject({ state: 'active', waitsUntil: until });

    // Another host finds it waiting, and asks no model.
    await bench.stop();
    await bench.start();
    clock.advance(2 * HOUR_MS - 1);
    expect((await bench.show(task)).task.waitsUntil).toBe(until);
    expect(bench.server.requests).toHaveLength(2);
    clock.advance(1);
    expect((await bench.settled(task, after)).task).toMatchObject({ ending: 'reviewed', waitsUntil: null });
    expect(ranOn(bench).slice(0, 3)).toEqual(['owner work', 'owner spare', 'owner spare']);
    expect(bench.eventsOf('turn.failed')).toEqual([]);
  });

  test('makes another room wait too, without a call', async () => {
    const clock = new ManualClock();
    const bench = await benchWith({
      clock,
      roles: { owner: [usedUp(clock, HOUR_MS), usedUp(clock, HOUR_MS)] },
    });
    await bench.send('shop', 'Fill the cart.');
    const first = await bench.until(({ type }) => type === 'room.waits');
    await bench.room(GitProject.withFiles({ 'a.txt': 'a\n' }), { name: 'other' });
    const other = await bench.send('other', 'Do it.');
    await bench.until(({ type, task }) => type === 'room.waits' && task === other, first.seq);
    expect(bench.server.requests).toHaveLength(2);
    expect((await bench.show(other)).turns).toMatchObject([{ status: 'due', attempts: 0 }]);
  });

  test('what waits goes on at once with an engine that the room is given, or an account that the host is', async () => {
    const clock = new ManualClock();
    const bench = await benchWith({
      clock,
      roles: {
        owner: [usedUp(clock, HOUR_MS), usedUp(clock, HOUR_MS), ...works, speaks('')],
        reviewer: [submits('DONE')],
      },
    });
    const after = bench.lastSeq;
    const task = await bench.send('shop', 'Fill the cart.');
    await bench.until(({ type }) => type === 'room.waits');
    await bench.stop();
    const more = [...accounts, { name: 'new', key: { environment: 'WORK_KEY' } }];
    const config = { engines: { anthropic: { accounts: more } } };
    writeFileSync(join(bench.home, 'config.json'), JSON.stringify(config));
    await bench.start();
    expect((await bench.settled(task, after)).task.ending).toBe('reviewed');
    expect(ranOn(bench)[2]).toBe('owner new');
  });

  test('and with a fallback that the room is given meanwhile', async () => {
    const clock = new ManualClock();
    const bench = await benchWith({
      clock,
      roles: { owner: [usedUp(clock, HOUR_MS), usedUp(clock, HOUR_MS)] },
    });
    const task = await bench.send('shop', 'Fill the cart.');
    const waits = await bench.until(({ type }) => type === 'room.waits');
    const [room] = await bench.ask('rooms.list', {});
    if (room === undefined) throw new Error('There is no room.');
    const blocked = { engine: 'command', command: ['sh', '-c', 'echo BLOCKED'] } as const;
    const settings = { ...room.settings, mode: 'single', fallbacks: { owner: blocked } };
    await bench.ask('rooms.update', { room: 'shop', settings: roomSettingsSchema.parse(settings) });
    await bench.until(({ type, data }) => type === 'turn.started' && data['engine'] === 'command', waits.seq);
    await bench.ask('tasks.stop', { task });
  });

  test('a person can stop the task while it waits', async () => {
    const clock = new ManualClock();
    const bench = await benchWith({
      clock,
      roles: { owner: [usedUp(clock, HOUR_MS), usedUp(clock, HOUR_MS)] },
    });
    const task = await bench.send('shop', 'Fill the cart.');
    await bench.until(({ type }) => type === 'room.waits');
    await bench.ask('tasks.stop', { task });
    expect((await bench.show(task)).task).toMatchObject({ ending: 'stopped', waitsUntil: null });
    clock.advance(2 * HOUR_MS);
    await bench.until(({ type }) => type === 'place.removed');
    expect(bench.server.requests).toHaveLength(2);
  });

  test('a reset in the past makes no loop: each account is left alone for a minute at least', async () => {
    const clock = new ManualClock();
    const bench = await benchWith({
      clock,
      roles: {
        owner: [usedUp(clock, -HOUR_MS), usedUp(clock, -HOUR_MS), ...works, speaks('')],
        reviewer: [submits('DONE')],
      },
    });
    const task = await bench.send('shop', 'Fill the cart.');
    const waits = await bench.until(({ type }) => type === 'room.waits');
    expect(waits.data['until']).toBe(clock.now() + MINUTE_MS);
    clock.advance(MINUTE_MS);
    expect((await bench.settled(task)).task.ending).toBe('reviewed');
  });
});
