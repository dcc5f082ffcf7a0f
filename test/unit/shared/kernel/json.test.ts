import { expect, test } from 'vitest';
import { parseJson } from '../../../../src/shared/kernel/json.ts';

test('says what a text says as JSON, and undefined where it is none', () => {
  const texts = ['{"a":[1,null]}', 'null', '""', '', '{"a":', 'DONE', '1 2'];
  expect(texts.map(parseJson)).toEqual([
    { a: [1, null] },
    null,
    '',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('is read whole, however deep it goes', () => {
  const depth = 100_000;
  expect(parseJson('['.repeat(depth) + ']'.repeat(depth))).toBeInstanceOf(Array);
  expect(parseJson('['.repeat(depth))).toBeUndefined();
});
