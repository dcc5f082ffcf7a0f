import { describe, expect, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { HostBench, questionOf } from '../../support/host-bench.ts';
import type { BenchOptions } from '../../support/host-bench.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { calls } from '../../fakes/messages-server/script.ts';
import { refuses, runs, speaks, submits, toolsOf, writes } from '../../support/scripted-roles.ts';
import type { Step } from '../../support/scripted-roles.ts';

/** The first repeat of a failed try comes after five seconds; docs/reliability.md. */
const FIRST_PAUSE_MS = 5_000;

const finishes: readonly Step[] = [writes('cart.txt', 'full\n'), submits('DONE'), speaks('')];

async function benchWith(owner: readonly Step[], options: Partial<BenchOptions> = {}): Promise<HostBench> {
  const bench = await HostBench.open({ roles: { owner, reviewer: [submits('DONE')] }, ...options });
  await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }));
  return bench;
}

describe('a failure that trying again cannot help asks a person at once, and goes on when they say so', () => {
  test.each([
    {
      what: 'an unknown model',
      reply: refuses(404, 'not_found_error', 'model: claude-sonnet-5-5'),
      names: /claude-sonnet-5-5.*Set another model/,
    },
    {
      what: 'a wrong key',
      reply: refuses(401, 'authentication_error', 'invalid x-api-key'),
      names: /invalid x-api-key.*ANTHROPIC_API_KEY/,
    },
    {
      what: 'a request that the API refuses',
      reply: refuses(400, 'invalid_request_error', 'max_tokens: too large'),
      names: /max_tokens: too large/,
    },
    {
      what: 'an account that cannot pay',
      reply: refuses(402, 'billing_error', 'out of credit'),
      names: /out of credit.*billing/,
    },
  ])('$what', async ({ reply, names }) => {
    const bench = await benchWith([reply, ...finishes]);
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text.replaceAll('\n', ' ')).toMatch(names);
    expect(questionOf(asked).answers).toContain('try_again');
    const { task } = await bench.answer(asked, 'try_again');
    expect(task.ending).toBe('reviewed');
    expect(bench.roles.callsOf('owner')[1]?.prompt).toContain('Fill the cart.');
  });

  test('no key at all', async () => {
    const environment: NodeJS.ProcessEnv = { ANTHROPIC_API_KEY: undefined };
    const bench = await benchWith(finishes, { environment });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toContain('ANTHROPIC_API_KEY is not set');
    // Another start of the host has the key; the message and the task are still there.
    await bench.stop();
    environment['ANTHROPIC_API_KEY'] = 'scripted';
    await bench.start();
    expect((await bench.answer(asked, 'try_again')).task.ending).toBe('reviewed');
  });

  test('an engine without a model, and one that is not there', async () => {
    const bench = await benchWith(finishes);
    const [room] = await bench.ask('rooms.list', {});
    if (room === undefined) throw new Error('There is no room.');
    const ownedBy = (engine: 'anthropic' | 'codex') =>
      bench.ask('rooms.update', {
        room: 'shop',
        settings: {
          ...room.settings,
          roles: { owner: { engine, model: null, maxTokens: null, command: null } },
        },
      });
    await ownedBy('anthropic');
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toContain('without a model');
    await ownedBy('codex');
    const again = await bench.answer(asked, 'try_again');
    expect(questionOf(again).text).toMatch(/codex.*not found.*tribune doctor/);
    await bench.ask('rooms.update', { room: 'shop', settings: room.settings });
    expect((await bench.answer(again, 'try_again')).task.ending).toBe('reviewed');
  });
});

describe('a failure that may pass is tried again, later', () => {
  const half = { afterEvents: 4 } as const;
  test.each([
    {
      what: 'a reply that is cut off in the middle',
      reply: submits('DONE', {}, { fault: { kind: 'cut', ...half } }),
    },
    { what: 'a reply that ends too early', reply: submits('DONE', {}, { fault: { kind: 'end', ...half } }) },
    { what: 'a 529', reply: refuses(529, 'overloaded_error', 'Overloaded') },
    { what: 'a 500', reply: refuses(500, 'api_error', 'Internal server error') },
    {
      what: 'an overload in the middle of a reply',
      reply: submits(
        'DONE',
        {},
        { fault: { kind: 'error', type: 'overloaded_error', message: 'Overloaded', ...half } },
      ),
    },
    { what: 'a 429 without a pause', reply: refuses(429, 'rate_limit_error', 'Slow down') },
  ])('$what: after five seconds', async ({ reply }) => {
    const clock = new ManualClock();
    const bench = await benchWith([reply, ...finishes], { clock });
    const pausing = clock.timerSet(FIRST_PAUSE_MS);
    const task = await bench.send('shop', 'Fill the cart.');
    await bench.until(({ type }) => type === 'turn.failed');
    await pausing;
    clock.advance(FIRST_PAUSE_MS);
    const { task: ended, turns } = await bench.settled(task);
    expect(ended.ending).toBe('reviewed');
    expect(turns[0]).toMatchObject({ attempts: 2 });
  });

  test('a 429: not before the pause that it asks for', async () => {
    const clock = new ManualClock();
    const bench = await benchWith(
      [refuses(429, 'rate_limit_error', 'Slow down', { 'retry-after': '42' }), ...finishes],
      { clock },
    );
    const pausing = clock.timerSet(42_000);
    const task = await bench.send('shop', 'Fill the cart.');
    await pausing;
    clock.advance(41_999);
    expect(bench.roles.calls).toHaveLength(1);
    clock.advance(1);
    expect((await bench.settled(task)).task.ending).toBe('reviewed');
  });

  test('a connection that hangs: ended after 90 seconds of silence', async () => {
    const clock = new ManualClock();
    const bench = await benchWith([() => ({ kind: 'hang' }), ...finishes], { clock });
    const task = await bench.send('shop', 'Fill the cart.');
    await bench.server.received(1);
    clock.advance(90_000);
    const failed = await bench.until(({ type }) => type === 'turn.failed');
    expect(failed.data['reason']).toContain('sent nothing for 90 seconds');
    await bench.until(({ type, seq }) => type === 'turn.due' && seq > failed.seq);
    await pausedThenOver(bench, clock);
    expect((await bench.settled(task)).task.ending).toBe('reviewed');
  });

  test('five times in all; then a person is asked, and told what happened the last time', async () => {
    const clock = new ManualClock();
    const overloaded = refuses(529, 'overloaded_error', 'Overloaded');
    const bench = await benchWith([...Array.from({ length: 6 }, () => overloaded), ...finishes], { clock });
    const pauses = [5_000, 10_000, 20_000, 40_000, 80_000];
    let pausing = clock.timerSet(FIRST_PAUSE_MS);
    const task = await bench.send('shop', 'Fill the cart.');
    for (const [index, pause] of pauses.entries()) {
      await pausing;
      const next = pauses[index + 1];
      if (next !== undefined) pausing = clock.timerSet(next);
      clock.advance(pause);
    }
    const asked = await bench.settled(task);
    expect(questionOf(asked).text).toMatch(/6 times in a row.*Overloaded/s);
    expect((await bench.answer(asked, 'try_again')).task.ending).toBe('reviewed');
  });

  test('a turn that ends without saying anything', async () => {
    const clock = new ManualClock();
    const bench = await benchWith([speaks(''), ...finishes], { clock });
    const pausing = clock.timerSet(FIRST_PAUSE_MS);
    const task = await bench.send('shop', 'Fill the cart.');
    await pausing;
    clock.advance(FIRST_PAUSE_MS);
    expect((await bench.settled(task)).task.ending).toBe('reviewed');
  });
});

describe('a model that asks for what it may not have is told so, and goes on', () => {
  test('an unknown tool, and input that is not right', async () => {
    const bench = await benchWith([
      () => calls('launch_rocket', {}),
      () => calls('write_file', { file: 'cart.txt' }),
      ...finishes,
    ]);
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    const [, unknown, wrong] = bench.roles.callsOf('owner');
    expect(unknown?.newest).toContain('You have no tool "launch_rocket". Your tools are: list_files');
    expect(wrong?.newest).toContain('write_file was not run');
  });

  test('only the owner has tools that write or run', async () => {
    const bench = await HostBench.open({
      roles: {
        owner: [submits('DONE'), speaks('')],
        reviewer: [
          () => calls('run_command', { command: 'touch /tmp/never' }),
          () => calls('write_file', { path: 'cart.txt', text: 'mine' }),
          submits('DONE'),
        ],
      },
    });
    await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }));
    const { task, changes } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(changes).toEqual([]);
    const [review, refusedRun, refusedWrite] = bench.roles.callsOf('reviewer');
    if (review === undefined) throw new Error('There was no review.');
    expect(toolsOf(review)).toEqual(['list_files', 'read_file', 'search_files', 'diff', 'submit_verdict']);
    expect(refusedRun?.newest).toContain('You have no tool "run_command"');
    expect(refusedWrite?.newest).toContain('You have no tool "write_file"');
  });

  test('paths that leave the work, secrets, and symbolic links out of it', async () => {
    const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
    project.write({ '.env': 'TOKEN=hidden-value\n' });
    const bench = await HostBench.open({
      roles: {
        owner: [
          runs('ln -s /etc/passwd out'),
          () => calls('read_file', { path: 'out' }),
          () => calls('read_file', { path: '../../secret' }),
          () => calls('write_file', { path: '/tmp/never', text: 'x' }),
          writes('.env', 'TOKEN=mine\n'),
          submits('DONE'),
          runs('rm out'),
          speaks(''),
          speaks(''),
        ],
        reviewer: [() => calls('read_file', { path: 'out' }), submits('DONE'), submits('DONE')],
      },
    });
    await bench.room(project);
    const { task } = await bench.work('shop', 'Look around.');
    expect(task.ending).toBe('reviewed');
    const told = bench.roles.calls.map(({ conversation }) => conversation).join('\n');
    expect(told).not.toContain('root:');
    expect(told).not.toContain('hidden-value');
  });

  test('output without end: the model gets the ends of it, and the log stays small', async () => {
    const bench = await benchWith([
      runs('yes "a line of a flood that does not end by itself" | head -c 8000000; echo the-end'),
      ...finishes,
    ]);
    const { task } = await bench.work('shop', 'Flood.');
    expect(task.ending).toBe('reviewed');
    const flooded = bench.roles.callsOf('owner')[1]?.newest ?? '';
    expect(flooded).toContain('the-end');
    expect(flooded.length).toBeLessThan(100_000);
    expect(JSON.stringify(bench.events).length).toBeLessThan(100_000);
  });
});

/** Turns the clock over the pause before the next try, once it has begun. */
async function pausedThenOver(bench: HostBench, clock: ManualClock): Promise<void> {
  const pausing = clock.timerSet(FIRST_PAUSE_MS);
  await Promise.race([pausing, bench.ask('host.status', {})]);
  clock.advance(FIRST_PAUSE_MS);
}
