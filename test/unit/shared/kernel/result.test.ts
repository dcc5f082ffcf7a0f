import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../../../src/shared/kernel/result.ts';

describe('describeFailure', () => {
  it.each([
    ['The API refused it: Overloaded', 'The API refused it: Overloaded. Try again.'],
    ['It is gone.', 'It is gone. Try again.'],
    ['It said "Come back later."', 'It said "Come back later." Try again.'],
    ['What was that?', 'What was that? Try again.'],
  ])('keeps what happened and what to do apart: %s', (message, expected) => {
    expect(describeFailure({ tag: 'any', message, next: 'Try again.' })).toBe(expected);
  });

  it('says what happened alone where there is nothing to do', () => {
    expect(describeFailure({ tag: 'any', message: 'It is gone' })).toBe('It is gone');
  });
});
