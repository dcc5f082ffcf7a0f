import { describe, expect, test } from 'vitest';
import { unwatchedSteps } from '../../../src/shared/kernel/steps.ts';
import type { EscalationId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/words.ts';
import { recover } from '../../../src/main/app/recover.ts';
import { LiveTurns } from '../../../src/main/rooms/live-turns.ts';
import { Proceedings } from '../../../src/main/rooms/proceedings.ts';
import { Requests } from '../../../src/main/rooms/requests.ts';
import { Permissions } from '../../../src/main/rooms/turn/permission.ts';
import type { Escalation } from '../../../src/main/store/escalations.ts';
import { ulidsBy } from '../../../src/main/store/new-id.ts';
import {
  HandClock,
  newRoom,
  newTask,
  openedStore,
  ownersTurn,
  temporaryDirectory,
} from '../store/support.ts';

const wish = { tool: 'Bash', description: 'rm -r build' };

/** An owner's running turn, whose agent can ask, and people who can answer. */
function runningTurn(directory = temporaryDirectory()) {
  const clock = new HandClock();
  const store = openedStore(directory, clock);
  const task = { ...newTask('task_1', newRoom(store)), turn: { ...ownersTurn, phase: 'running' as const } };
  store.tasks.create(task, { title: 'Fill the cart', ancestorId: null, personBase: null });
  const turnId = store.turns.liveOf(task.id)?.id ?? 'turn_none';
  const attemptId = store.turns.startAttempt(turnId, 1, 'nonce', null);
  const proceedings = new Proceedings({ store, clock, newId: ulidsBy(clock), liveTurns: new LiveTurns() });
  const requests = new Requests({
    store,
    proceedings,
    steps: unwatchedSteps,
    defaultRoles: {},
    workspaceOf: () => {
      throw new Error('No workspace is needed here.');
    },
  });
  const permissions = new Permissions({ store, clock }, { task, turn: task.turn, turnId, attemptId });
  const ask = (description = wish.description, signal = new AbortController().signal) =>
    permissions.ask({ ...wish, description }, signal);
  const answer = ({ id, shownHash }: Escalation, given: Answer, text = '') =>
    requests.answer(id, { answer: given, text, criteria: [], dropped: [], answeredBy: 'a test', shownHash });
  return { clock, store, task, attemptId, proceedings, requests, permissions, ask, answer };
}

type Running = ReturnType<typeof runningTurn>;

/** The question that is open after what is under way has gone on. */
async function opened({ store }: Running): Promise<Escalation> {
  await Promise.resolve();
  const [open, ...more] = store.escalations.open();
  if (open === undefined) throw new Error('Nobody is asked anything.');
  expect(more).toEqual([]);
  return open;
}

function closings({ store }: Running): readonly EscalationId[] {
  return store.events
    .since(0)
    .filter(({ type }) => type === 'escalation.closed')
    .map(({ data }) => data['escalation'] as EscalationId);
}

describe('an agent that asks for leave', () => {
  test('is shown to a person like any question, and told once that it is allowed', async () => {
    const turn = runningTurn();
    const asked = turn.ask();
    const open = await opened(turn);
    expect(open).toMatchObject({ kind: 'permission', answers: ['allow', 'refuse', 'stop'] });
    expect(open.text).toContain('rm -r build');
    expect(turn.store.tasks.load('task_1')).toMatchObject({ state: 'active', question: null });
    expect(turn.answer(open, 'allow')).toMatchObject({ ok: true, value: 'task_1' });
    expect(await asked).toEqual({ allowed: true });
    expect(turn.answer(open, 'refuse')).toMatchObject({ failure: { tag: 'already_closed' } });
    expect(closings(turn)).toEqual([open.id]);
  });

  test('is refused with the words of the person', async () => {
    const turn = runningTurn();
    const asked = turn.ask();
    turn.answer(await opened(turn), 'refuse', 'Keep the build.');
    expect(await asked).toEqual({ allowed: false, reason: 'Keep the build.' });
  });

  test('is answered only by who saw this very question, with an answer that it takes', async () => {
    const turn = runningTurn();
    const asked = turn.ask();
    const first = await opened(turn);
    turn.answer(first, 'allow');
    await asked;
    // The same wish again is another question: a late second click allows nothing.
    const again = turn.ask();
    const second = await opened(turn);
    expect(turn.answer({ ...second, shownHash: first.shownHash }, 'allow')).toMatchObject({
      failure: { tag: 'shown_differs' },
    });
    expect(turn.answer(second, 'accept')).toMatchObject({ failure: { tag: 'answer_not_offered' } });
    expect(
      turn.requests.answer(second.id, {
        answer: 'allow',
        text: '',
        criteria: ['It is quiet.'],
        dropped: [],
        answeredBy: 'a test',
      }),
    ).toMatchObject({ failure: { tag: 'answer_takes_no_criteria' } });
    turn.answer(second, 'allow');
    expect(await again).toEqual({ allowed: true });
  });

  test('stop ends the task', async () => {
    const turn = runningTurn();
    const asked = turn.ask();
    turn.answer(await opened(turn), 'stop');
    expect((await asked).allowed).toBe(false);
    expect(turn.store.tasks.load('task_1')).toMatchObject({ state: 'completed', ending: 'stopped' });
  });

  test('asks one thing after another', async () => {
    const turn = runningTurn();
    const answers = ['one', 'two', 'three'].map((description) => turn.ask(description));
    for (const [at, given] of (['allow', 'refuse', 'allow'] as const).entries()) {
      const open = await opened(turn);
      expect(open.text).toMatch(new RegExp(`${['one', 'two', 'three'][at] ?? ''}$`));
      turn.answer(open, given);
      await answers[at];
    }
    expect((await Promise.all(answers)).map(({ allowed }) => allowed)).toEqual([true, false, true]);
  });

  test('takes its question back when it is stopped, and at the end of its turn', async () => {
    const turn = runningTurn();
    const stopping = new AbortController();
    const stopped = turn.ask('one', stopping.signal);
    const first = await opened(turn);
    stopping.abort();
    expect((await stopped).allowed).toBe(false);
    const left = turn.ask('two');
    const second = await opened(turn);
    turn.permissions.close();
    expect((await left).allowed).toBe(false);
    expect((await turn.ask('three')).allowed).toBe(false);
    expect(closings(turn)).toEqual([first.id, second.id]);
    expect(turn.answer(first, 'allow')).toMatchObject({ failure: { tag: 'already_closed' } });
    expect(turn.store.escalations.open()).toEqual([]);
  });

  test('leaves nothing open behind when its host dies', async () => {
    const directory = temporaryDirectory();
    const dead = runningTurn(directory);
    void dead.ask();
    const { id } = await opened(dead);
    dead.store.close();
    const next = openedStore(directory);
    recover(next, 0);
    expect(next.escalations.byId(id)).toMatchObject({ state: 'withdrawn' });
    expect(next.escalations.open()).toEqual([]);
  });

  test('keeps its question while messages come and budgets run out', async () => {
    const turn = runningTurn();
    const asked = turn.ask();
    const { id } = await opened(turn);
    turn.proceedings.feed('task_1', { type: 'budget_reached', turn: 1, limit: 'usd' });
    expect(turn.store.tasks.load('task_1')?.question).toBeNull();
    expect((await opened(turn)).id).toBe(id);
    turn.answer(await opened(turn), 'allow');
    expect(await asked).toEqual({ allowed: true });
  });

  test('is not charged for the time that the person took', async () => {
    const turn = runningTurn();
    turn.clock.advance(60_000);
    const asked = turn.ask();
    const open = await opened(turn);
    turn.clock.advance(3_600_000);
    turn.answer(open, 'allow');
    await asked;
    turn.clock.advance(60_000);
    turn.store.turns.endAttempt(turn.attemptId, 'ended');
    expect(turn.store.modelCalls.sum({ taskId: 'task_1' }).minutes).toBe(2);
  });

  test('may not ask for more than a person can read', async () => {
    const turn = runningTurn();
    expect(await turn.ask('x'.repeat(20_001))).toMatchObject({ allowed: false });
    expect(turn.store.escalations.open()).toEqual([]);
  });
});
