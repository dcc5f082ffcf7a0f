import { describe, expect, it } from 'vitest';
import { taskView, turnView } from '../../../src/main/gateway/handlers/views.ts';
import { ulidsBy } from '../../../src/main/store/new-id.ts';
import { HandClock, newRoom, newTask, openedStore, temporaryDirectory } from '../store/support.ts';

describe('what a task has cost', () => {
  it('is known only where the price of every call is', () => {
    const clock = new HandClock();
    const store = openedStore(temporaryDirectory(), clock);
    const id = ulidsBy(clock)('task');
    store.tasks.create(newTask(id, newRoom(store)), { title: 'Mend it', ancestorId: null, personBase: null });
    const usdOf = (): unknown[] => [
      taskView(store, id).spent.usd,
      ...store.views.turnsOf(id).map((turn) => turnView(turn).spent.usd),
    ];
    expect(usdOf()).toEqual([0, 0]);

    const turn = store.turns.liveOf(id);
    if (turn === null) throw new Error('no live turn');
    const attempt = store.turns.startAttempt(turn.id, 1, 'nonce', null);
    const call = {
      model: 'm',
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      durationMs: 1,
    };
    store.modelCalls.record(attempt, { ...call, usd: 0.25 });
    expect(usdOf()).toEqual([0.25, 0.25]);
    store.modelCalls.record(attempt, { ...call, usd: null });
    expect(usdOf()).toEqual([null, null]);
    expect(taskView(store, id).spent.tokens).toBe(30);
    // A budget goes by what is known.
    expect(store.tasks.load(id)?.spent.usd).toBe(0.25);
  });
});
