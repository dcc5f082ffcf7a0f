import assert from 'node:assert/strict';
import test from 'node:test';

/** A test for each input and the output that it must have. */
export function cases(name, run, table) {
  for (const [input, expected] of table) {
    test(`${name}(${input}) is ${expected}`, () => assert.equal(run(input), expected));
  }
}
