import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answers,
  budgetLimits,
  endings,
  judgements,
  origins,
  roles,
  roomModes,
  severities,
  taskStates,
  turnPurposes,
} from '../../../src/shared/vocabulary/words.ts';
import type { MessageId, RoomId, SnapshotId, TaskId } from '../../../src/shared/vocabulary/ids.ts';
import type { LiveTurn, Question, Task } from '../../../src/main/domain/tribunal/task.ts';
import { ulidsBy } from '../../../src/main/store/new-id.ts';
import {
  doneTask,
  HandClock,
  newRoom,
  newTask,
  openedStore,
  question,
  temporaryDirectory,
} from './support.ts';

/** Plain objects, as the product's are. */
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true });
}

const counts = fc.nat({ max: 50 });
const maybe = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(some, { nil: null });
const snapshots = fc.stringMatching(/^[0-9a-f]{40}$/).map((hash): SnapshotId => `snap_${hash}`);
const messageIds = fc.array(
  fc.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/).map((id): MessageId => `msg_${id}`),
  {
    maxLength: 3,
  },
);
const words = fc.string({ unit: 'binary' });
const amounts = fc.double({ min: 0, max: 1e9, noNaN: true }).map((amount) => (amount === 0 ? 0 : amount));

const liveTurns: fc.Arbitrary<LiveTurn> = record({
  number: fc.integer({ min: 1, max: 9 }),
  role: fc.constantFrom(...roles),
  purpose: fc.constantFrom(...turnPurposes),
  phase: fc.constantFrom('due', 'running'),
  attempt: fc.integer({ min: 1, max: 6 }),
  ask: maybe(fc.constantFrom('verdict', 'decision')),
  session: fc.constantFrom('continue', 'fresh'),
  workspace: fc.constantFrom('keep', 'reset'),
  messages: messageIds,
  wrappingUp: maybe(fc.constantFrom(...budgetLimits)),
});

const questions: fc.Arbitrary<Question> = record({
  number: fc.integer({ min: 1, max: 9 }),
  kind: fc.constantFrom(
    'failed',
    'kept_failing',
    'blocked',
    'deadlock',
    'unclear',
    'ruling',
    'arbitrations',
    'budget',
    'cannot_compare',
    'reset',
  ),
  text: words,
  answers: fc.subarray([...answers]),
  snapshot: maybe(snapshots),
  limit: maybe(fc.constantFrom(...budgetLimits)),
  back: record({
    state: fc.constantFrom(
      'active',
      'review_ready',
      'in_review',
      'merge_ready',
      'arbiter_requested',
      'in_arbitration',
    ),
    turn: liveTurns,
  }),
});

/** Any task at all, sensible or not: the store keeps what it is given. */
function tasksOf(id: TaskId, roomId: RoomId): fc.Arbitrary<Task> {
  return record({
    id: fc.constant(id),
    roomId: fc.constant(roomId),
    origin: fc.constantFrom(...origins),
    request: words,
    terms: record({
      mode: fc.constantFrom(...roomModes),
      hasArbiter: fc.boolean(),
      direct: fc.boolean(),
      budget: record({ usd: amounts, tokens: amounts, minutes: amounts, rounds: counts }),
    }),
    state: fc.constantFrom(...taskStates),
    ending: maybe(fc.constantFrom(...endings)),
    turn: maybe(liveTurns),
    nextTurn: counts,
    waiting: messageIds,
    base: maybe(snapshots),
    content: maybe(snapshots),
    reviewed: maybe(snapshots),
    approved: maybe(snapshots),
    criteria: fc
      .array(
        record({
          text: words,
          source: fc.constantFrom('room', 'owner', 'reviewer', 'arbiter', 'person', 'message'),
          judgement: maybe(fc.constantFrom(...judgements)),
        }),
        { maxLength: 5 },
      )
      .map((all) =>
        all.map((criterion, index) => ({ id: `C${index + 1}` as const, ...criterion })).reverse(),
      ),
    criteriaFixed: fc.boolean(),
    findings: fc
      .array(
        record({
          criterion: maybe(fc.constantFrom('C1', 'C2')),
          severity: fc.constantFrom(...severities),
          place: maybe(words),
          text: words,
          evidence: maybe(words),
          judgement: fc.constantFrom(...judgements),
          overruled: fc.boolean(),
          freeText: fc.boolean(),
        }),
        { maxLength: 5 },
      )
      .map((all) => all.map((finding, index) => ({ id: `F${index + 1}` as const, ...finding }))),
    ruling: maybe(words),
    arbitrationAfter: maybe(fc.constantFrom('owner', 'review')),
    asked: fc.subarray(['verdict', 'decision']),
    counters: record({
      rounds: counts,
      roundsWithoutProgress: counts,
      retries: counts,
      arbitrations: counts,
      changedFinishes: counts,
    }),
    spent: fc.constant({ usd: 0, tokens: 0, minutes: 0 }),
    budgets: counts,
    question: maybe(questions),
    nextQuestion: counts,
  });
}

describe('tasks', () => {
  it('come back as they were saved, whatever they were before', () => {
    const clock = new HandClock();
    const store = openedStore(temporaryDirectory(), clock);
    const roomId = newRoom(store);
    const id = ulidsBy(clock)('task');
    store.tasks.create(newTask(id, roomId), { title: 'A task', ancestorId: null, personBase: null });
    fc.assert(
      fc.property(tasksOf(id, roomId), (task) => {
        store.tasks.save(task);
        expect(store.tasks.load(id)).toEqual(task);
      }),
      { numRuns: 200 },
    );
  });

  it('sum what their calls and attempts used, a running attempt until now', () => {
    const clock = new HandClock();
    const store = openedStore(temporaryDirectory(), clock);
    const id = ulidsBy(clock)('task');
    store.tasks.create(newTask(id, newRoom(store)), { title: 'A task', ancestorId: null, personBase: null });
    const turn = store.turns.liveOf(id);
    if (turn === null) throw new Error('no live turn');
    const call = {
      model: 'm',
      inputTokens: 1,
      outputTokens: 20,
      cacheReadTokens: 300,
      cacheWriteTokens: 4000,
      durationMs: 5,
    };
    const first = store.turns.startAttempt(turn.id, 1, 'nonce-1', null);
    store.modelCalls.record(first, { ...call, usd: 0.5 });
    clock.advance(60_000);
    store.turns.endAttempt(first, 'failed', 'cut off');
    clock.advance(600_000);
    const second = store.turns.startAttempt(turn.id, 2, 'nonce-2', null);
    store.modelCalls.record(second, { ...call, usd: null });
    clock.advance(30_000);
    const spent = { usd: 0.5, tokens: 8642, minutes: 1.5 };
    expect(store.tasks.load(id)?.spent).toEqual(spent);
    expect(store.modelCalls.sum({ turnId: turn.id })).toEqual({ ...spent, unpricedCalls: 1 });
    expect(store.modelCalls.sum({ taskId: id })).toEqual({ ...spent, unpricedCalls: 1 });
    expect(store.views.task(id)).toMatchObject({ role: 'owner' });
  });

  it('close the turn that was live and withdraw the question that was open when these are gone', () => {
    const clock = new HandClock();
    const store = openedStore(temporaryDirectory(), clock);
    const id = ulidsBy(clock)('task');
    const task = newTask(id, newRoom(store));
    store.tasks.create({ ...task, question }, { title: 'A task', ancestorId: null, personBase: null });
    clock.advance(5);
    store.tasks.save({ ...task, turn: null, question: null });
    expect(store.turns.byNumber(id, 1)).toMatchObject({ status: 'ended', endedAt: clock.now() });
    expect(store.escalations.byNumber(id, 1)).toMatchObject({ state: 'withdrawn', closedAt: clock.now() });
    expect(store.escalations.open()).toEqual([]);
  });

  it('keep how a turn was said to have ended', () => {
    const clock = new HandClock();
    const store = openedStore(temporaryDirectory(), clock);
    const id = ulidsBy(clock)('task');
    const task = newTask(id, newRoom(store));
    store.tasks.create(task, { title: 'A task', ancestorId: null, personBase: null });
    const turn = store.turns.liveOf(id);
    if (turn === null) throw new Error('no live turn');
    store.transaction(() => {
      store.turns.close(turn.id, 'failed');
      store.tasks.save({ ...task, turn: null });
    });
    expect(store.turns.byNumber(id, 1)?.status).toBe('failed');
  });

  it('are one open one a room', () => {
    const clock = new HandClock();
    const newId = ulidsBy(clock);
    const store = openedStore(temporaryDirectory(), clock);
    const roomId = newRoom(store);
    const first = newTask(newId('task'), roomId);
    const second = newTask(newId('task'), roomId);
    const facts = { title: 'A task', ancestorId: null, personBase: null };
    store.tasks.create(first, facts);
    expect(() => {
      store.tasks.create(second, facts);
    }).toThrow(/UNIQUE/);
    store.tasks.save({ ...first, state: 'completed', ending: 'superseded', turn: null });
    store.tasks.create(second, facts);
    expect(store.tasks.openOf(roomId)?.id).toBe(second.id);
    expect(store.views.list({ roomId, onlyOpen: true, limit: 9 }).map((task) => task.id)).toEqual([
      second.id,
    ]);
    expect(store.views.list({ limit: 9 }).map((task) => task.id)).toEqual([second.id, first.id]);
  });

  it('know the newest content that was not applied, and what applying it brings along', () => {
    const clock = new HandClock();
    const newId = ulidsBy(clock);
    const store = openedStore(temporaryDirectory(), clock);
    const roomId = newRoom(store);
    const [one, two, stopped] = [newId('task'), newId('task'), newId('task')];
    expect(store.tasks.lastUnapplied(roomId)).toBeNull();
    store.tasks.create(doneTask(one, roomId, 'snap_1'), {
      title: '1',
      ancestorId: null,
      personBase: 'snap_p',
    });
    clock.advance(1);
    store.tasks.create(doneTask(two, roomId, 'snap_2'), {
      title: '2',
      ancestorId: one,
      personBase: 'snap_p',
    });
    clock.advance(1);
    store.tasks.create(
      { ...doneTask(stopped, roomId, null), ending: 'stopped', content: 'snap_3' },
      { title: '3', ancestorId: two, personBase: 'snap_p' },
    );
    expect(store.tasks.lastUnapplied(roomId)).toEqual({
      taskId: two,
      snapshot: 'snap_2',
      personBase: 'snap_p',
    });
    expect(store.tasks.chainOf(two)).toEqual([two, one]);
    expect(store.tasks.applyBaseOf(two)).toBe('snap_p');
    store.tasks.markApplied([one]);
    expect(store.tasks.chainOf(two)).toEqual([two]);
    expect(store.tasks.applyBaseOf(two)).toBe('snap_1');
    clock.advance(1);
    store.tasks.markApplied([two]);
    expect(store.tasks.lastUnapplied(roomId)).toBeNull();
    expect(store.tasks.factsOf(two)?.appliedAt).toBe(clock.now());
    expect(store.tasks.applyBaseOf(two)).toBe('snap_1');
    expect(store.tasks.applyBaseOf(one)).toBe('snap_p');
  });
});
