import { describe, expect, test } from 'vitest';
import type { MethodInput } from '../../../src/shared/contract/contract.ts';
import type { Failure } from '../../../src/shared/kernel/result.ts';
import { GitProject } from '../../support/git-project.ts';
import { HostBench, questionOf } from '../../support/host-bench.ts';
import { speaks, submits, writes } from '../../support/scripted-roles.ts';
import type { RoleScripts } from '../../support/scripted-roles.ts';

/** A host without an arbiter, so that whatever is stuck is a person's. */
async function benchWith(roles: RoleScripts): Promise<HostBench> {
  const bench = await HostBench.open({ roles, config: { roles: { arbiter: null } } });
  await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }));
  return bench;
}

const blocked = submits('BLOCKED', { summary: 'I cannot find the cart.' });

describe('a question to a person', () => {
  test('is asked where the owner is blocked and there is no arbiter; sent back, it goes on to its end', async () => {
    const bench = await benchWith({
      owner: [blocked, writes('cart.txt', 'full\n'), submits('DONE'), speaks('')],
      reviewer: [submits('DONE')],
    });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(asked.task.state).toBe('awaiting_person');
    expect(questionOf(asked).text).toContain('I cannot find the cart.');
    const { task, escalation } = await bench.answer(asked, 'send_back', 'It is cart.txt.');
    expect(task.ending).toBe('reviewed');
    expect(escalation).toBeNull();
    expect(bench.roles.callsOf('owner')[1]?.prompt).toContain('It is cart.txt.');
    expect(await bench.ask('escalations.list', {})).toEqual([]);
  });

  test('accept ends the task with the snapshot that was shown', async () => {
    const bench = await benchWith({ owner: [writes('cart.txt', 'half\n'), blocked] });
    const asked = await bench.work('shop', 'Fill the cart.');
    const { snapshot, answers } = questionOf(asked);
    expect(answers).toContain('accept');
    const { task, approved } = await bench.answer(asked, 'accept');
    expect(task.ending).toBe('accepted');
    expect(approved).toBe(snapshot);
  });

  test('try again starts the owner’s turn anew', async () => {
    const bench = await benchWith({
      owner: [blocked, submits('DONE'), speaks('')],
      reviewer: [submits('DONE')],
    });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect((await bench.answer(asked, 'try_again')).task.ending).toBe('reviewed');
  });

  test('stop ends the task and keeps its content', async () => {
    const bench = await benchWith({ owner: [writes('cart.txt', 'half\n'), blocked] });
    const asked = await bench.work('shop', 'Fill the cart.');
    expect((await bench.answer(asked, 'stop')).task.ending).toBe('stopped');
    await bench.until(({ type }) => type === 'content.kept');
  });

  test('a criterion that the person adds is judged, one that they strike is not', async () => {
    const bench = await benchWith({
      owner: [submits('BLOCKED', { criteria: ['It rattles.'] }), submits('DONE'), speaks('')],
      reviewer: [submits('DONE', { judgements: [{ id: 'C2', judgement: 'met' }] })],
    });
    const asked = await bench.work('shop', 'Fill the cart.');
    const { id } = questionOf(asked);
    const after = bench.lastSeq;
    await bench.ask('escalations.answer', {
      escalation: id,
      answer: 'send_back',
      text: 'Quietly.',
      criteria: ['It is quiet.'],
      dropped: ['C1'],
    });
    const { task, criteria } = await bench.settled(asked.task.id, after);
    expect(task.ending).toBe('reviewed');
    expect(criteria).toMatchObject([{ id: 'C2', text: 'It is quiet.', source: 'person', judgement: 'met' }]);
  });

  test.each([
    { what: 'an answer that it does not offer', given: { answer: 'go_on' }, tag: 'answer_not_offered' },
    { what: 'an answer to something else', given: { answer: 'stop', shown: 'old' }, tag: 'shown_differs' },
    { what: 'sending back without words', given: { answer: 'send_back' }, tag: 'words_missing' },
  ] as const)('$what is refused, and the question stays', async ({ given, tag }) => {
    const bench = await benchWith({ owner: [blocked] });
    const { id } = questionOf(await bench.work('shop', 'Fill the cart.'));
    const refusal = await bench.refused('escalations.answer', {
      escalation: id,
      text: '',
      criteria: [],
      dropped: [],
      ...given,
    });
    expect(refusal).toMatchObject({ tag });
    expect(refusal.next).toMatch(/^\S.*\S$/s);
    expect(await bench.ask('escalations.list', {})).toMatchObject([{ id }]);
  });

  test('is answered once: the second answer is refused', async () => {
    const bench = await benchWith({ owner: [blocked] });
    const question = questionOf(await bench.work('shop', 'Fill the cart.'));
    await bench.give(question, 'stop');
    const refusal = await bench.refused('escalations.answer', {
      escalation: question.id,
      answer: 'stop',
      text: '',
      criteria: [],
      dropped: [],
    });
    expect(refusal).toMatchObject({ tag: 'already_closed' });
  });

  const unknown: readonly [string, (bench: HostBench) => Promise<Failure>][] = [
    ['an answer', (bench) => bench.refused('escalations.answer', answerTo('esc_unknown'))],
    ['showing', (bench) => bench.refused('tasks.show', { task: 'task_unknown' })],
    ['stopping', (bench) => bench.refused('tasks.stop', { task: 'task_unknown' })],
    ['applying', (bench) => bench.refused('tasks.apply', { task: 'task_unknown' })],
    ['a message', (bench) => bench.refused('messages.send', { room: 'nowhere', text: 'Hello.' })],
    ['listing', (bench) => bench.refused('tasks.list', { room: 'nowhere', limit: 1 })],
  ];
  test.each(unknown)('%s of something unknown names it and says where to look', async (_, asking) => {
    const bench = await HostBench.open({ roles: {} });
    const refusal = await asking(bench);
    expect(refusal.message).toMatch(/unknown|nowhere/);
    expect(refusal.next).toMatch(/tribune (escalations|tasks|rooms)/);
  });
});

function answerTo(escalation: string): MethodInput<'escalations.answer'> {
  return { escalation, answer: 'stop', text: '', criteria: [], dropped: [] };
}
