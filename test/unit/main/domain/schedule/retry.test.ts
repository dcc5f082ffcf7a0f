import { describe, expect, test } from 'vitest';
import { MAX_RETRIES, retryDelayMs } from '../../../../../src/main/domain/schedule/retry.ts';

describe('a retry', () => {
  test('waits 5 s × 2ⁿ, five times', () => {
    const delays = Array.from({ length: MAX_RETRIES }, (_, retries) => retryDelayMs(retries));
    expect(delays).toEqual([5_000, 10_000, 20_000, 40_000, 80_000]);
  });
});
