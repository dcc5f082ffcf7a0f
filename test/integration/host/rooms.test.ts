import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { HostBench, questionOf, settingsFor } from '../../support/host-bench.ts';
import { after, gate, lists, reads, runs, speaks, submits, writes } from '../../support/scripted-roles.ts';
import type { Gate, RoleCall, RoleScripts } from '../../support/scripted-roles.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const finishes: RoleScripts = {
  owner: [writes('cart.txt', 'full\n'), submits('DONE'), speaks('')],
  reviewer: [submits('DONE')],
};

function shop(): GitProject {
  return GitProject.withFiles({ 'cart.txt': 'empty\n', '.gitignore': 'node_modules/\n' });
}

describe('a room', () => {
  test('has instructions of its own for a role, the product’s for the others, and a memory for all', async () => {
    const folder = temporaryFolder('prompts');
    writeFileSync(join(folder, 'reviewer.md'), 'You are the reviewer of a shop, and very strict.');
    const memory = join(folder, 'memory.md');
    writeFileSync(memory, 'Carts were once blue.');
    const bench = await HostBench.open({ roles: finishes });
    await bench.room(shop(), { prompts: folder, memory });
    expect((await bench.work('shop', 'Fill the cart.')).task.ending).toBe('reviewed');
    const systemOf = (call: RoleCall | undefined): string => JSON.stringify(call?.request.system);
    expect(systemOf(bench.roles.callsOf('reviewer')[0])).toContain('very strict');
    expect(systemOf(bench.roles.callsOf('owner')[0])).toContain('You are the owner in a Tribune room');
    for (const call of bench.roles.calls) expect(systemOf(call)).toContain('Carts were once blue.');
  });

  test('whose instructions cannot be read asks a person, and goes on when they can', async () => {
    const folder = temporaryFolder('prompts');
    mkdirSync(join(folder, 'owner.md'));
    const bench = await HostBench.open({ roles: finishes });
    await bench.room(shop(), { prompts: folder });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toMatch(/owner\.md could not be read.*Make it readable/s);
    const [room] = await bench.ask('rooms.list', {});
    if (room === undefined) throw new Error('There is no room.');
    await bench.ask('rooms.update', { room: 'shop', settings: { ...room.settings, prompts: null } });
    expect((await bench.answer(asked, 'try_again')).task.ending).toBe('reviewed');
  });

  test('is set up once for each task; its dependencies are there, and no part of the work', async () => {
    const bench = await HostBench.open({
      roles: {
        owner: [
          runs('cat node_modules/cart/index.js; touch node_modules/cart/mine.js'),
          writes('cart.txt', 'full\n'),
          submits('DONE'),
          speaks(''),
        ],
        reviewer: [lists(''), reads('node_modules/cart/index.js'), submits('DONE')],
      },
    });
    await bench.room(shop(), {
      setup: 'mkdir -p node_modules/cart && echo "// installed" >> node_modules/cart/index.js',
      dependencies: ['node_modules'],
    });
    const { task, changes } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(bench.roles.callsOf('owner')[1]?.newest.match(/installed/g)).toHaveLength(1);
    expect(changes.map(({ path }) => path)).toEqual(['cart.txt']);
    const [first, second, third] = bench.roles.callsOf('reviewer');
    expect(first?.prompt).toContain('node_modules: a dependency folder');
    expect(second?.newest).toContain('node_modules/');
    expect(third?.newest).toContain('// installed');
  });

  test('whose setup fails asks a person, with its output, and runs it again when they say so', async () => {
    const flag = join(temporaryFolder('flag'), 'repaired');
    const bench = await HostBench.open({ roles: finishes });
    await bench.room(shop(), { setup: `echo "no such package: cart-9"; test -e '${flag}'` });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toMatch(/setup command.*ended with 1:.*no such package: cart-9/s);
    writeFileSync(flag, '');
    expect((await bench.answer(asked, 'try_again')).task.ending).toBe('reviewed');
  });

  test('shows what looks like a secret to nobody, and names it to the reviewer', async () => {
    const project = shop();
    const bench = await HostBench.open({
      roles: {
        owner: [runs('echo KEY=1234 > .env'), reads('.env'), submits('DONE'), speaks('')],
        reviewer: [reads('.env'), submits('DONE')],
      },
    });
    await bench.room(project);
    const { task, leftOut, changes } = await bench.work('shop', 'Make a secret.');
    expect(task.ending).toBe('reviewed');
    expect(leftOut).toEqual(['.env']);
    expect(bench.eventsOf('turn.not_seen')).toMatchObject([
      {
        data: { role: 'reviewer', parts: [{ what: '.env', why: 'left out because it looks like a secret' }] },
      },
    ]);
    expect(changes).toEqual([]);
    expect(bench.roles.callsOf('reviewer')[0]?.prompt).toContain(
      '.env: left out because it looks like a secret',
    );
    expect(bench.roles.calls.map(({ conversation }) => conversation).join('\n')).not.toContain('KEY=1234\n');
  });

  test.each(['Shop', '', 'a b', '-shop', 'x'.repeat(65), '../etc'])('is not named "%s"', async (name) => {
    const bench = await HostBench.open({ roles: {} });
    const refusal = await bench.refused('rooms.create', { ...settingsFor(shop()), name });
    expect(refusal.message).toContain('name');
    expect(await bench.ask('rooms.list', {})).toEqual([]);
  });

  test('is not made twice under one name', async () => {
    const bench = await HostBench.open({ roles: {} });
    await bench.room(shop());
    const refusal = await bench.refused('rooms.create', settingsFor(shop()));
    expect(refusal.message).toContain('shop');
    expect(refusal.next).toMatch(/^\S.*\S$/s);
  });
});

describe('several rooms', () => {
  /** Rooms `one`, `two`, … each with a project of its own, and scripts told apart by the request. */
  async function benchWith(
    scripts: Readonly<Record<string, RoleScripts>>,
    config?: unknown,
  ): Promise<HostBench> {
    const bench = await HostBench.open({
      roles: ({ conversation }) => {
        const name = Object.keys(scripts).find((known) => conversation.includes(`Work in ${known}.`));
        return (name === undefined ? undefined : scripts[name]) ?? {};
      },
      config,
    });
    for (const name of Object.keys(scripts)) await bench.room(shop(), { name });
    return bench;
  }

  const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'] as const;

  /** An owner that waits at a gate in its first reply, then finishes. */
  const waits = (at: Gate): RoleScripts => ({
    owner: [after(at.pass, submits('DONE')), speaks('')],
    reviewer: [submits('DONE')],
  });

  test('work at once, each on its own content', async () => {
    const [one, two] = [gate(), gate()];
    const bench = await benchWith({ one: waits(one), two: waits(two) });
    const tasks = [await bench.send('one', 'Work in one.'), await bench.send('two', 'Work in two.')];
    await Promise.all([one.reached, two.reached]);
    expect(await bench.ask('host.status', {})).toMatchObject({ running: 2 });
    two.open();
    expect((await bench.settled(tasks[1] ?? '')).task.ending).toBe('reviewed');
    one.open();
    expect((await bench.settled(tasks[0] ?? '')).task.ending).toBe('reviewed');
  });

  test('run five turns at once between them; who waits longest goes next', async () => {
    const gates = names.map(() => gate());
    const bench = await benchWith(
      Object.fromEntries(names.map((name, at) => [name, waits(gateAt(gates, at))])),
    );
    const tasks: string[] = [];
    for (const name of names) tasks.push(await bench.send(name, `Work in ${name}.`));
    await Promise.all(gates.slice(0, 5).map(({ reached }) => reached));
    expect(await bench.ask('host.status', {})).toMatchObject({ running: 5, turnsAtOnce: 5 });
    expect(bench.roles.calls).toHaveLength(5);
    gateAt(gates, 0).open();
    await gateAt(gates, 5).reached;
    gateAt(gates, 1).open();
    await gateAt(gates, 6).reached;
    for (const at of gates) at.open();
    for (const task of tasks) expect((await bench.settled(task)).task.ending).toBe('reviewed');
  });

  test('keep one slot for a person: a message starts at once where reviews fill the others', async () => {
    const reviewing = [gate(), gate()];
    const reviewed = (at: Gate): RoleScripts => ({
      owner: [submits('DONE'), speaks('')],
      reviewer: [after(at.pass, submits('DONE'))],
    });
    const speaking = gate();
    const bench = await benchWith(
      { one: reviewed(gateAt(reviewing, 0)), two: reviewed(gateAt(reviewing, 1)), three: waits(speaking) },
      { turnsAtOnce: 2 },
    );
    const first = await bench.send('one', 'Work in one.');
    await gateAt(reviewing, 0).reached;
    const second = await bench.send('two', 'Work in two.');
    await bench.until(
      ({ type, task, data }) => type === 'turn.due' && task === second && data['role'] === 'reviewer',
    );
    const third = await bench.send('three', 'Work in three.');
    await speaking.reached;
    expect(bench.roles.callsOf('reviewer')).toHaveLength(1);
    for (const at of [...reviewing, speaking]) at.open();
    for (const task of [first, second, third]) {
      expect((await bench.settled(task)).task.ending).toBe('reviewed');
    }
  });

  test('that share one directory each work in a worktree of their own', async () => {
    const project = shop();
    const bench = await HostBench.open({
      roles: ({ conversation }) =>
        conversation.includes('red') ? red : conversation.includes('green') ? green : {},
    });
    await bench.room(project, { name: 'one' });
    await bench.room(project, { name: 'two' });
    const tasks = await Promise.all([bench.send('one', 'Make it red.'), bench.send('two', 'Make it green.')]);
    for (const task of tasks) expect((await bench.settled(task)).task.ending).toBe('reviewed');
    await bench.ask('tasks.apply', { task: tasks[0] });
    expect(project.text('cart.txt')).toBe('red\n');
    const refusal = await bench.refused('tasks.apply', { task: tasks[1] });
    expect(refusal).toMatchObject({ tag: 'conflict' });
  });
  const paints = (colour: string): RoleScripts => ({
    owner: [writes('cart.txt', `${colour}\n`), submits('DONE'), speaks('')],
    reviewer: [submits('DONE')],
  });
  const red = paints('red');
  const green = paints('green');
});

function gateAt(gates: readonly Gate[], at: number): Gate {
  const found = gates[at];
  if (found === undefined) throw new Error(`There is no gate ${at}.`);
  return found;
}
