import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resetTimeIn } from '../../../../../src/main/engines/coding-cli/reset-time.ts';

const now = Date.UTC(2026, 3, 22, 10, 30);
const at = (...parts: readonly [number, number, number, number, number]): number => Date.UTC(...parts);

describe('the reset time of a banner', () => {
  it.each([
    ['Claude AI usage limit reached|1777000000', 1_777_000_000_000],
    ["You've hit your limit · resets 4pm (Asia/Kuala_Lumpur)", at(2026, 3, 22, 8, 0) + 86_400_000],
    ["You've hit your limit · resets 8pm (Asia/Kuala_Lumpur)", at(2026, 3, 22, 12, 0)],
    ["You've hit your limit · resets 1:30am (Asia/Dhaka)", at(2026, 3, 22, 19, 30)],
    ["You've hit your limit · resets Apr 23 at 4pm (America/Recife)", at(2026, 3, 23, 19, 0)],
    ["You've hit your limit · resets Jan 2, 11am (Europe/Berlin)", at(2027, 0, 2, 9, 0)],
    ['5-hour limit reached · resets 12am (UTC)', at(2026, 3, 23, 0, 0)],
    ['Try again in 2 hours 5 minutes.', now + 125 * 60_000],
    ['try again in 3 days 4 hours', now + (3 * 24 + 4) * 3_600_000],
  ])('of "%s"', (banner, expected) => {
    expect(resetTimeIn(banner, now)).toBe(expected);
  });

  it.each([
    'Your limit resets soon',
    'resets 4pm (Mars/Olympus)',
    'try again later',
    'resets Foo 3 at 4pm (UTC)',
  ])('is not known of "%s"', (banner) => {
    expect(resetTimeIn(banner, now)).toBeNull();
  });

  it('is never long past, nor more than a day away where only a time is told', () => {
    const day = 86_400_000;
    fc.assert(
      fc.property(
        fc.integer({ min: now, max: now + 400 * day }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 59 }),
        fc.constantFrom('am', 'pm'),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Kiritimati'),
        (moment, hour, minute, half, zone) => {
          const time = `${hour}:${String(minute).padStart(2, '0')}${half}`;
          const reset = resetTimeIn(`You've hit your limit · resets ${time} (${zone})`, moment);
          expect(reset).toBeGreaterThan(moment);
          expect(reset).toBeLessThanOrEqual(moment + day);
        },
      ),
    );
  });
});
