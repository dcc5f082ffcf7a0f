import { format, inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../src/shared/kernel/secret.ts';

const CANARY = 'sk-ant-api03-canary';

describe('a secret', () => {
  const secret = new Secret(CANARY);

  it('is read by expose', () => {
    expect(secret.expose()).toBe(CANARY);
  });

  it.each([
    ['as text', String(secret)],
    ['in a sentence', 'key: ' + secret.toString()],
    ['as JSON', JSON.stringify({ secret })],
    ['as JSON in an array', JSON.stringify([secret])],
    ['inspected', inspect(secret)],
    ['inspected deeply', inspect({ a: { b: [secret] } }, { depth: null, showHidden: true })],
    ['formatted', format('%s %o %O %j', secret, secret, secret, secret)],
    ['in an error', inspect(new Error('It failed.', { cause: secret }))],
  ])('is not seen %s', (_how, shown) => {
    expect(shown).not.toContain(CANARY);
    expect(shown).toContain('•••');
  });

  it('has nothing that can be walked to', () => {
    expect(Reflect.ownKeys(secret)).toEqual([]);
  });

  it('looks the same whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (value) => {
        expect(inspect({ key: new Secret(value) })).toBe(inspect({ key: secret }));
      }),
    );
  });
});
