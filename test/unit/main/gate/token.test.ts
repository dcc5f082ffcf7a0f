import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, isSameToken, newToken, presentedToken } from '../../../../src/main/gate/token.ts';

describe('a token', () => {
  it('has 256 random bits, and fits in a header', () => {
    const tokens = Array.from({ length: 1_000 }, newToken);
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('is the same only where every character is', () => {
    const token = newToken();
    fc.assert(
      fc.property(fc.string(), (other) => {
        expect(isSameToken(digestOf(token), digestOf(other))).toBe(token === other);
      }),
    );
    expect(isSameToken(digestOf(token), digestOf(token))).toBe(true);
    expect(isSameToken(digestOf(token), digestOf(token.slice(0, -1)))).toBe(false);
  });

  it('is read from either header', () => {
    expect(presentedToken({ 'x-api-key': 't' })).toBe('t');
    expect(presentedToken({ authorization: 'Bearer t' })).toBe('t');
    expect(presentedToken({ authorization: 'bearer  t' })).toBe('t');
    expect(presentedToken({ authorization: 'Basic t' })).toBeNull();
    expect(presentedToken({ authorization: 'Bearer ' })).toBeNull();
    expect(presentedToken({})).toBeNull();
  });
});
