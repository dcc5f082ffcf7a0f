import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  GRACE_CALLS,
  GRACE_MS,
  oneMoreBudget,
  reachedLimit,
} from '../../../../../src/main/domain/budget/budget.ts';
import { budgetSchema } from '../../../../../src/shared/contract/room.ts';
import type { Spending } from '../../../../../src/main/domain/tribunal/task.ts';

const budget = { usd: 10, tokens: 5_000_000, minutes: 120, rounds: 12 };
const nothing: Spending = { usd: 0, tokens: 0, minutes: 0 };

describe('a budget', () => {
  test('is on by default: 10 USD, 5 M tokens, 120 minutes, 12 rounds', () => {
    expect(budgetSchema.parse({})).toEqual(budget);
  });

  test('gives a grace of 3 calls and 3 minutes', () => {
    expect([GRACE_CALLS, GRACE_MS]).toEqual([3, 180_000]);
  });

  test.each([
    ['usd', { usd: 10 }, { usd: 9.999 }],
    ['tokens', { tokens: 5_000_000 }, { tokens: 4_999_999 }],
    ['minutes', { minutes: 120 }, { minutes: 119.9 }],
  ] as const)('of %s is reached once all of it is spent, not before', (limit, all, less) => {
    expect(reachedLimit(budget, 1, { ...nothing, ...all }, 0)).toBe(limit);
    expect(reachedLimit(budget, 1, { ...nothing, ...less }, 0)).toBeNull();
    expect(reachedLimit(budget, 2, { ...nothing, ...all }, 0)).toBeNull();
  });

  test('of rounds is reached with the last one, however many budgets were granted', () => {
    expect(reachedLimit(budget, 1, nothing, 11)).toBeNull();
    expect(reachedLimit(budget, 1, nothing, 12)).toBe('rounds');
    expect(reachedLimit(budget, 3, nothing, 12)).toBe('rounds');
  });

  test('of tokens bounds a subscription, whose calls have no price', () => {
    expect(reachedLimit(budget, 1, { ...nothing, tokens: 6_000_000 }, 0)).toBe('tokens');
  });
});

describe('one more budget', () => {
  test('is one more, and enough to go on where a single call overshot', () => {
    expect(oneMoreBudget(budget, 1, { ...nothing, usd: 10 })).toBe(2);
    expect(oneMoreBudget(budget, 1, { ...nothing, usd: 35 })).toBe(4);
    expect(oneMoreBudget(budget, 2, { ...nothing, usd: 1 })).toBe(3);
  });

  test('always lets work go on', () => {
    const amount = fc.double({ min: 0.01, max: 1e6, noNaN: true });
    const amounts = fc.record({ usd: amount, tokens: fc.integer({ min: 1, max: 1e9 }), minutes: amount });
    fc.assert(
      fc.property(amounts, amounts, fc.integer({ min: 1, max: 50 }), (allowed, spent, budgets) => {
        const granted = oneMoreBudget({ ...allowed, rounds: 12 }, budgets, spent);
        expect(granted).toBeGreaterThan(budgets);
        expect(reachedLimit({ ...allowed, rounds: 12 }, granted, spent, 0)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });
});
