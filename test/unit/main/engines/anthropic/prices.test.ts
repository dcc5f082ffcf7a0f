import { describe, expect, it } from 'vitest';
import { listPrices, usdOf } from '../../../../../src/main/engines/anthropic/prices.ts';

const million = (kind: 'input' | 'output' | 'cacheRead' | 'cacheWrite', count = 1_000_000) => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  [kind]: count,
});

describe('usdOf', () => {
  it.each([
    ['claude-sonnet-5-5', 2, 10, 0.1, 2.5],
    ['claude-opus-5-5', 4, 20, 0.2, 5],
    ['claude-fable-5-1', 10, 50, 0.25, 12.5],
    ['claude-haiku-4-5', 1, 5, 0.1, 1.25],
  ])('prices a million tokens of %s', (model, input, output, cacheRead, cacheWrite) => {
    expect(usdOf(listPrices, model, million('input'))).toBeCloseTo(input);
    expect(usdOf(listPrices, model, million('output'))).toBeCloseTo(output);
    expect(usdOf(listPrices, model, million('cacheRead'))).toBeCloseTo(cacheRead);
    expect(usdOf(listPrices, model, million('cacheWrite'))).toBeCloseTo(cacheWrite);
  });

  it('knows a model by the date of its version too', () => {
    expect(usdOf(listPrices, 'claude-haiku-4-5-20251001', million('input'))).toBe(1);
  });

  it('asks more for all tokens of a long prompt where the model does, cached ones counted', () => {
    const short = { input: 60_000, output: 1_000, cacheRead: 40_000, cacheWrite: 0 };
    const long = { ...short, cacheRead: 40_001 };
    expect(usdOf(listPrices, 'claude-haiku-5-5', short)).toBeCloseTo(
      (60_000 * 0.1 + 1_000 * 0.5 + 40_000 * 0.01) / 1e6,
      9,
    );
    expect(usdOf(listPrices, 'claude-haiku-5-5', long)).toBeCloseTo(
      (60_000 * 0.5 + 1_000 * 2.5 + 40_001 * 0.05) / 1e6,
      9,
    );
  });

  it('knows no price of a model that is not in the list', () => {
    expect(usdOf(listPrices, 'claude-unheard-of', million('input'))).toBeNull();
  });
});
