import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LoopGuard } from '../../../../src/main/engines/loop-guard.ts';

const call = fc.record({
  tool: fc.constantFrom('read', 'run'),
  input: fc.constantFrom({ path: 'a' }, { path: 'b' }),
  answer: fc.constantFrom('yes', 'no'),
});

describe('the loop guard', () => {
  it('closes at the fifth equal call with an equal answer in a row, and not before', () => {
    const guard = new LoopGuard();
    const same = { tool: 'read', input: { path: 'a' }, answer: 'text' };
    expect([1, 2, 3, 4, 5].map(() => guard.closes(same))).toEqual([false, false, false, false, true]);
  });

  it.each([
    ['another tool', { tool: 'list', input: { path: 'a' }, answer: 'text' }],
    ['another input', { tool: 'read', input: { path: 'b' }, answer: 'text' }],
    ['another answer', { tool: 'read', input: { path: 'a' }, answer: 'changed' }],
  ])('begins to count again after %s', (_, other) => {
    const guard = new LoopGuard();
    const same = { tool: 'read', input: { path: 'a' }, answer: 'text' };
    for (const each of [same, same, same, same, other, same, same, same, same]) {
      expect(guard.closes(each)).toBe(false);
    }
    expect(guard.closes(same)).toBe(true);
  });

  it('closes exactly where the last five are equal', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 40 }), (calls) => {
        const guard = new LoopGuard();
        calls.forEach((each, index) => {
          const lastFive = calls.slice(Math.max(0, index - 4), index + 1).map((one) => JSON.stringify(one));
          expect(guard.closes(each)).toBe(lastFive.length === 5 && new Set(lastFive).size === 1);
        });
      }),
    );
  });
});
