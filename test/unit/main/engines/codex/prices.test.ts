import { expect, it } from 'vitest';
import { usdOfOpenAi } from '../../../../../src/main/engines/codex/prices.ts';

const MILLION = 1_000_000;
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

it('charges each kind of token its price', () => {
  expect(usdOfOpenAi('gpt-6.2-sol', { ...none, output: MILLION })).toBe(10);
  expect(usdOfOpenAi('gpt-6.2-sol', { ...none, input: 100_000 })).toBeCloseTo(0.2);
  expect(usdOfOpenAi('gpt-6.2-sol', { ...none, cacheRead: 100_000 })).toBeCloseTo(0.01);
  expect(usdOfOpenAi('gpt-6.2-sol', { ...none, cacheWrite: 100_000 })).toBeCloseTo(0.25);
});

it('charges a long prompt double, and its output half again', () => {
  const long = { ...none, input: 200_000, cacheRead: 72_001, output: 100_000 };
  expect(usdOfOpenAi('gpt-6.2-sol', long)).toBeCloseTo(0.8 + 0.0144002 + 1.5);
  expect(usdOfOpenAi('gpt-6.2-sol', { ...long, cacheRead: 72_000 })).toBeCloseTo(0.4 + 0.0072 + 1);
});

it('knows a dated version of a model, and says where it knows no price', () => {
  expect(usdOfOpenAi('gpt-6-luna-2026-09-22', { ...none, output: MILLION })).toBe(0.5);
  expect(usdOfOpenAi('gpt-of-next-year', { ...none, output: MILLION })).toBeNull();
});
