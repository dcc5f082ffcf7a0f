import { describe, expect, it } from 'vitest';
import { APPLY_KEY_START } from '../../../src/main/store/effects.ts';
import { ulidsBy } from '../../../src/main/store/new-id.ts';
import type { Store } from '../../../src/main/store/store.ts';
import type { TaskId, TurnId } from '../../../src/shared/vocabulary/ids.ts';
import { readingFrom } from '../../../src/main/store/verdicts.ts';
import { HandClock, newRoom, newTask, openedStore, question, temporaryDirectory } from './support.ts';

interface Work {
  readonly store: Store;
  readonly clock: HandClock;
  readonly taskId: TaskId;
  readonly turnId: TurnId;
}

/** A task whose owner's first turn is due, and a question open. */
function work(directory = temporaryDirectory()): Work {
  const clock = new HandClock();
  const store = openedStore(directory, clock);
  const taskId = ulidsBy(clock)('task');
  store.tasks.create(
    { ...newTask(taskId, newRoom(store)), question },
    { title: 'A task', ancestorId: null, personBase: null },
  );
  const turn = store.turns.liveOf(taskId);
  if (turn === null) throw new Error('no live turn');
  return { store, clock, taskId, turnId: turn.id };
}

describe('effects', () => {
  it('are intended once, and give what came of them', () => {
    const { store, taskId } = work();
    const intention = store.effects.intend(taskId, 'tool-1', 'npm test');
    if (intention.kind !== 'new') throw new Error('not new');
    expect(store.effects.intend(taskId, 'tool-1', 'npm test')).toMatchObject({ kind: 'unknown' });
    store.effects.finish(intention.id, 'done', 'exit 0');
    expect(store.effects.intend(taskId, 'tool-1', 'npm test')).toMatchObject({
      kind: 'done',
      result: 'exit 0',
    });
    expect(store.effects.look(taskId, 'tool-1')).toMatchObject({ state: 'done', description: 'npm test' });
    expect(store.effects.intend('task_other', 'tool-1', 'npm test').kind).toBe('new');
  });

  it('stay unknown over a restart when their end was not written down', () => {
    const directory = temporaryDirectory();
    const { store, taskId } = work(directory);
    store.effects.intend(taskId, 'tool-1', 'npm publish');
    store.close();
    const after = openedStore(directory);
    expect(after.effects.intend(taskId, 'tool-1', 'npm publish')).toMatchObject({ kind: 'unknown' });
    expect(after.effects.endLost()).toBe(1);
    expect(after.effects.look(taskId, 'tool-1')).toMatchObject({ state: 'unknown' });
    expect(after.effects.intend(taskId, 'tool-1', 'npm publish')).toMatchObject({ kind: 'unknown' });
    expect(after.effects.endLost()).toBe(0);
    expect(after.effects.intend(taskId, 'tool-2', 'npm test').kind).toBe('new');
  });

  it('that are unknown applies are told from what tools began', () => {
    const { store, taskId } = work();
    store.effects.intend(taskId, 'tool-1', 'npm publish');
    const apply = store.effects.intend(taskId, `${APPLY_KEY_START}1`, 'apply');
    expect(store.effects.unknownApplies()).toEqual([]);
    store.effects.endLost();
    expect(store.effects.unknownApplies()).toMatchObject([{ id: apply.id, taskId }]);
  });
});

describe('escalations', () => {
  it('are answered once, with an answer that they offer, by someone who saw them as they are', () => {
    const { store, taskId, clock } = work();
    const [open] = store.escalations.open();
    if (open === undefined) throw new Error('none is open');
    const given = { answer: 'send_back', text: 'Use the old one.', answeredBy: 'cli' } as const;
    expect(store.escalations.answer('esc_none', given)).toMatchObject({
      failure: { tag: 'unknown_escalation' },
    });
    expect(store.escalations.answer(open.id, { ...given, answer: 'accept' })).toMatchObject({
      failure: { tag: 'answer_not_offered', next: 'Answer with one of: send_back, stop.' },
    });
    expect(store.escalations.answer(open.id, { ...given, shownHash: 'of something else' })).toMatchObject({
      failure: { tag: 'shown_differs' },
    });
    clock.advance(7);
    expect(store.escalations.answer(open.id, { ...given, shownHash: open.shownHash })).toMatchObject({
      ok: true,
      value: { state: 'answered', answer: 'send_back', closedAt: clock.now() },
    });
    const late = store.escalations.answer(open.id, { ...given, answer: 'stop', answeredBy: 'tray' });
    expect(late).toMatchObject({ failure: { tag: 'already_closed' } });
    expect(late.ok ? '' : late.failure.message).toContain('answered "send_back" by cli');
    expect(store.escalations.byNumber(taskId, 1)).toMatchObject({ id: open.id, state: 'answered' });
  });

  it('stay answered when the task goes on', () => {
    const { store, taskId } = work();
    const task = store.tasks.load(taskId);
    const open = store.escalations.openOf(taskId);
    if (task === null || open === null) throw new Error('nothing is open');
    store.transaction(() => {
      store.escalations.answer(open.id, { answer: 'stop', text: '', answeredBy: 'cli' });
      store.tasks.save({ ...task, question: null });
    });
    expect(store.escalations.byId(open.id)?.state).toBe('answered');
  });

  it('hash what is shown', () => {
    const { store, taskId } = work();
    const task = store.tasks.load(taskId);
    if (task === null) throw new Error('no task');
    const before = store.escalations.openOf(taskId)?.shownHash;
    store.tasks.save(task);
    expect(store.escalations.openOf(taskId)?.shownHash).toBe(before);
    store.tasks.save({ ...task, question: { ...question, snapshot: 'snap_2' } });
    expect(store.escalations.openOf(taskId)?.shownHash).not.toBe(before);
  });
});

describe('sessions', () => {
  it('go on until a fresh one begins, one for each role', () => {
    const { store, taskId } = work();
    expect(store.sessions.current(taskId, 'owner')).toBeNull();
    const first = store.sessions.fresh(taskId, 'owner', 'anthropic');
    store.sessions.append(first, [{ role: 'user' }, 'text', null]);
    store.sessions.append(first, []);
    store.sessions.append(first, [[1, 2]]);
    expect(store.sessions.entries(first)).toEqual([{ role: 'user' }, 'text', null, [1, 2]]);
    const second = store.sessions.fresh(taskId, 'owner', 'anthropic');
    expect(store.sessions.current(taskId, 'owner')).toEqual({ id: second, engine: 'anthropic' });
    expect(store.sessions.current(taskId, 'reviewer')).toBeNull();
    expect(store.sessions.entries(second)).toEqual([]);
  });
});

describe('attempts', () => {
  it('of a dead boot are lost, and count until their last call', () => {
    const directory = temporaryDirectory();
    const { store, clock, turnId, taskId } = work(directory);
    const quiet = store.turns.startAttempt(turnId, 1, 'n1', null);
    const busy = store.turns.startAttempt(turnId, 2, 'n2', null);
    clock.advance(60_000);
    store.modelCalls.record(busy, {
      model: 'm',
      inputTokens: 1,
      outputTokens: 1,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      usd: null,
      durationMs: 1,
    });
    clock.advance(60_000);
    store.close();
    clock.advance(3_600_000);
    const after = openedStore(directory, clock);
    const mine = after.turns.startAttempt(turnId, 3, 'n3', null);
    expect(after.turns.endLost().map((lost) => lost.id)).toEqual([quiet, busy]);
    expect(after.turns.attemptsOf(turnId).map((attempt) => [attempt.id, attempt.outcome])).toEqual([
      [quiet, 'lost'],
      [busy, 'lost'],
      [mine, null],
    ]);
    expect(after.tasks.load(taskId)?.spent.minutes).toBe(1);
  });
});

describe('turns as they are shown', () => {
  it('have their attempts, verdicts and cost', () => {
    const { store, taskId, turnId } = work();
    const attemptId = store.turns.startAttempt(turnId, 1, 'nonce', null);
    const report = {
      findings: [{ criterion: 'C1', severity: 'blocking', place: 'a.ts:3', text: 'Wrong.', evidence: null }],
      judgements: [{ id: 'C1', judgement: 'unmet' }],
      criteria: ['It adds.'],
      dropped: [],
      overruled: ['F2'],
    } as const;
    const reading = { kind: 'verdict', verdict: 'DONE', via: 'tool' } as const;
    store.verdicts.record({
      turnId,
      attemptId: null,
      reading: { kind: 'none', reason: 'hedged' },
      report,
      text: 'a',
    });
    store.verdicts.record({ turnId, attemptId, reading, report, text: 'b' });
    store.modelCalls.record(attemptId, {
      model: 'm',
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      usd: 0.25,
      durationMs: 812.5,
    });
    const [shown] = store.views.turnsOf(taskId);
    expect(shown).toMatchObject({
      number: 1,
      role: 'owner',
      status: 'live',
      spent: { usd: 0.25, tokens: 15 },
    });
    expect(shown?.attempts).toMatchObject([{ nonce: 'nonce', number: 1 }]);
    expect(shown?.verdicts.map(readingFrom)).toEqual([{ kind: 'none', reason: 'hedged' }, reading]);
    expect(shown?.verdicts.map((verdict) => verdict.report)).toEqual([report, report]);
    expect(store.views.task(taskId)).toMatchObject({
      title: 'A task',
      roomName: 'lab',
    });
  });
});

describe('snapshots', () => {
  it('can be taken more than once', () => {
    const { store, taskId } = work();
    const roomId = newRoom(store, 'other');
    const taken = { id: 'snap_1', roomId, taskId, leftOut: ['.env'] } as const;
    store.snapshots.record({ ...taken, kind: 'base' });
    store.snapshots.record({ ...taken, kind: 'content' });
    store.snapshots.record({ ...taken, taskId: null, kind: 'kept' });
    expect(store.snapshots.ofTask(taskId)).toMatchObject([
      { kind: 'base', leftOut: ['.env'] },
      { kind: 'content' },
    ]);
  });
});
