import { describe, expect, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { HostBench, questionOf } from '../../support/host-bench.ts';
import { after, gate, reads, speaks, submits, writes } from '../../support/scripted-roles.ts';
import type { RoleScripts, Step } from '../../support/scripted-roles.ts';

async function benchWith(roles: RoleScripts): Promise<{ bench: HostBench; project: GitProject }> {
  const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
  const bench = await HostBench.open({ roles });
  await bench.room(project);
  return { bench, project };
}

const silence: Step = speaks('');

describe('a message', () => {
  test('while the owner works is taken by the running turn', async () => {
    const thinking = gate();
    const { bench } = await benchWith({
      owner: [
        after(thinking.pass, reads('cart.txt')),
        writes('cart.txt', 'blue\n'),
        submits('DONE'),
        silence,
      ],
      reviewer: [submits('DONE')],
    });
    const task = await bench.send('shop', 'Fill the cart.');
    await thinking.reached;
    expect(await bench.send('shop', 'Make it blue.')).toBe(task);
    thinking.open();
    expect((await bench.settled(task)).task.ending).toBe('reviewed');
    expect(bench.roles.callsOf('owner')[1]?.newest).toContain('Make it blue.');
    expect(bench.turnsOf(task)).toEqual(['owner work', 'reviewer review', 'owner finish']);
    expect(bench.rulesOf(task)).toContain('the running owner took a message');
  });

  test('that the running turn did not take is its next turn’s, before any review', async () => {
    const ending = gate();
    const { bench } = await benchWith({
      owner: [after(ending.pass, submits('DONE')), writes('cart.txt', 'blue\n'), submits('DONE'), silence],
      reviewer: [submits('DONE')],
    });
    const task = await bench.send('shop', 'Fill the cart.');
    await ending.reached;
    await bench.send('shop', 'Make it blue.');
    ending.open();
    expect((await bench.settled(task)).task.ending).toBe('reviewed');
    expect(bench.roles.callsOf('owner')[1]?.prompt).toContain('Make it blue.');
    expect(bench.turnsOf(task)).toEqual(['owner work', 'owner work', 'reviewer review', 'owner finish']);
  });

  test('while a review runs is kept: an approval does not end the task before the owner had it', async () => {
    const reviewing = gate();
    const { bench } = await benchWith({
      owner: [submits('DONE'), writes('cart.txt', 'blue\n'), submits('DONE'), silence],
      reviewer: [after(reviewing.pass, submits('DONE')), submits('DONE')],
    });
    const task = await bench.send('shop', 'Fill the cart.');
    await reviewing.reached;
    await bench.send('shop', 'Make it blue.');
    reviewing.open();
    expect((await bench.settled(task)).task.ending).toBe('reviewed');
    expect(bench.roles.callsOf('owner')[1]?.prompt).toContain('Make it blue.');
    expect(bench.turnsOf(task)).toEqual([
      'owner work',
      'reviewer review',
      'owner work',
      'reviewer review',
      'owner finish',
    ]);
  });

  test('while the arbiter rules is kept for the owner', async () => {
    const ruling = gate();
    const { bench } = await benchWith({
      owner: [submits('BLOCKED'), submits('DONE'), silence],
      arbiter: [after(ruling.pass, submits('ESCALATE'))],
      reviewer: [submits('DONE')],
    });
    const task = await bench.send('shop', 'Fill the cart.');
    await ruling.reached;
    await bench.send('shop', 'The blue one.');
    ruling.open();
    expect((await bench.settled(task)).task.ending).toBe('reviewed');
    expect(bench.roles.callsOf('owner')[1]?.prompt).toContain('The blue one.');
  });

  test('while merge_ready supersedes the task: the new one stands on the approved content', async () => {
    const finishing = gate();
    const { bench, project } = await benchWith({
      owner: [
        writes('cart.txt', 'full\n'),
        submits('DONE'),
        after(finishing.pass, silence),
        writes('bill.txt', 'paid\n'),
        submits('DONE'),
        silence,
      ],
      reviewer: [submits('DONE'), submits('DONE')],
    });
    const first = await bench.send('shop', 'Fill the cart.');
    await finishing.reached;
    const second = await bench.send('shop', 'Now pay.');
    expect(second).not.toBe(first);
    const { task, base, changes } = await bench.settled(second);
    finishing.open();
    expect(task.ending).toBe('reviewed');
    expect(changes.map(({ path }) => path)).toEqual(['bill.txt']);
    const superseded = await bench.show(first);
    expect(superseded.task.ending).toBe('superseded');
    expect(base).toBe(superseded.approved);
    await bench.ask('tasks.apply', { task: second });
    expect(project.text('cart.txt')).toBe('full\n');
    expect(project.text('bill.txt')).toBe('paid\n');
  });

  test('while a person is asked counts as sending back with these words', async () => {
    const { bench } = await benchWith({
      owner: [submits('BLOCKED'), submits('DONE'), silence],
      arbiter: [submits('ESCALATE', { summary: 'Which cart?' })],
      reviewer: [submits('DONE')],
    });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toContain('Which cart?');
    const { task } = await bench.work('shop', 'The blue one.');
    expect(task).toMatchObject({ id: asked.task.id, ending: 'reviewed' });
    expect(bench.roles.callsOf('owner')[1]?.prompt).toContain('The blue one.');
    expect(await bench.ask('escalations.list', {})).toEqual([]);
  });

  test('after a task has ended starts a new one, on the content that was not yet applied', async () => {
    const { bench } = await benchWith({
      owner: [
        writes('cart.txt', 'full\n'),
        submits('DONE'),
        silence,
        reads('cart.txt'),
        submits('DONE'),
        silence,
      ],
      reviewer: [submits('DONE'), submits('DONE')],
    });
    const first = await bench.work('shop', 'Fill the cart.');
    const second = await bench.work('shop', 'Look at it.');
    expect(second.base).toBe(first.approved);
    expect(bench.roles.callsOf('owner')[4]?.newest).toContain('full');
  });

  test('sent twice under one name is taken once', async () => {
    const { bench } = await benchWith({ owner: [submits('DONE'), silence], reviewer: [submits('DONE')] });
    const sends = [1, 2, 3].map(() =>
      bench.ask('messages.send', { room: 'shop', text: 'Fill the cart.', source: 'mail-1' }),
    );
    const answers = await Promise.all(sends);
    expect(new Set(answers.map(({ message }) => message)).size).toBe(1);
    expect(answers.filter(({ known }) => known)).toHaveLength(2);
    await bench.settled(answers[0]?.task ?? '');
    const again = await bench.ask('messages.send', {
      room: 'shop',
      text: 'Fill the cart.',
      source: 'mail-1',
    });
    expect(again).toMatchObject({ known: true, started: true, task: answers[0]?.task });
    expect(await bench.ask('tasks.list', { limit: 10 })).toHaveLength(1);
  });

  test('racing another one starts one task that has them both', async () => {
    const { bench } = await benchWith({ owner: [submits('DONE'), silence], reviewer: [submits('DONE')] });
    const [first, second] = await Promise.all([
      bench.send('shop', 'Fill the cart.'),
      bench.send('shop', 'Make it blue.'),
    ]);
    expect(second).toBe(first);
    expect((await bench.settled(first)).task.ending).toBe('reviewed');
    const [call] = bench.roles.callsOf('owner');
    expect(call?.prompt).toContain('Fill the cart.');
    expect(call?.prompt).toContain('Make it blue.');
  });
});

describe('stopping a task', () => {
  test.each([
    ['the owner works', { owner: [] }],
    ['a review runs', { owner: [submits('DONE')] }],
  ] as const)('while %s ends it, with the content kept', async (_, { owner }) => {
    const running = gate();
    const waits = after(running.pass, silence);
    const { bench } = await benchWith({
      owner: [writes('cart.txt', 'half\n'), ...owner, ...(owner.length === 0 ? [waits] : [])],
      ...(owner.length === 0 ? {} : { reviewer: [waits] }),
    });
    const task = await bench.send('shop', 'Fill the cart.');
    await running.reached;
    expect(await bench.ask('tasks.stop', { task })).toMatchObject({ state: 'completed', ending: 'stopped' });
    await bench.until(({ type }) => type === 'content.kept');
    running.open();
    expect(await bench.ask('tasks.stop', { task })).toMatchObject({ ending: 'stopped' });
    expect(await bench.refused('tasks.apply', { task })).toMatchObject({ tag: 'nothing_to_apply' });
  });
});
