import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../src/main/gate/broker/upstream-refusal.ts';
import type { Api } from '../../../../src/main/gate/route.ts';

const NOW = Date.UTC(2026, 0, 1);
const IN_AN_HOUR = NOW / 1_000 + 3_600;

function refusal(api: Api, status: number, error: object | string, headers: Record<string, string> = {}) {
  const body =
    typeof error === 'string'
      ? error
      : JSON.stringify(api === 'anthropic' ? { type: 'error', error } : { error });
  return refusalOf(api, { status, headers, body }, NOW);
}

describe('what upstream refused', () => {
  it('knows when a subscription is there again', () => {
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': `${IN_AN_HOUR}`,
      'retry-after': '3600',
    };
    const error = {
      type: 'rate_limit_error',
      message: "This request would exceed your account's rate limit.",
    };
    expect(refusal('anthropic', 429, error, headers)).toEqual({
      status: 429,
      type: 'rate_limit_error',
      message: "This request would exceed your account's rate limit.",
      resetsAt: IN_AN_HOUR * 1_000,
      retryAfterMs: 3_600_000,
    });
  });

  it('takes no reset from a limit that did not refuse', () => {
    const headers = {
      'anthropic-ratelimit-unified-status': 'allowed',
      'anthropic-ratelimit-unified-reset': `${IN_AN_HOUR}`,
    };
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    expect(refusal('anthropic', 529, error, headers)).toMatchObject({
      type: 'overloaded_error',
      resetsAt: null,
    });
  });

  it('takes no reset from the limits per minute of an API key', () => {
    const headers = { 'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:30Z', 'retry-after': '30' };
    const error = { type: 'rate_limit_error', message: 'Too many tokens per minute.' };
    expect(refusal('anthropic', 429, error, headers)).toMatchObject({
      resetsAt: null,
      retryAfterMs: 30_000,
    });
  });

  it.each([
    [{ resets_at: IN_AN_HOUR }, IN_AN_HOUR * 1_000],
    [{ resets_in_seconds: 90 }, NOW + 90_000],
    [{ resets_at: IN_AN_HOUR, resets_in_seconds: 90 }, IN_AN_HOUR * 1_000],
    [{ resets_at: null }, null],
    [{ resets_at: 'soon' }, null],
  ])('reads the reset of a usage limit of OpenAI: %o', (reset, resetsAt) => {
    const error = { type: 'usage_limit_reached', message: 'The usage limit has been reached', ...reset };
    expect(refusal('openai', 429, error)).toMatchObject({ type: 'usage_limit_reached', resetsAt });
  });

  it("takes OpenAI's code for its word where there is one", () => {
    const error = { type: 'tokens', code: 'rate_limit_exceeded', message: 'Slower.' };
    expect(refusal('openai', 429, error, { 'retry-after-ms': '250' })).toMatchObject({
      type: 'rate_limit_exceeded',
      retryAfterMs: 250,
    });
    expect(
      refusal('openai', 429, { type: 'insufficient_quota', code: 'insufficient_quota', message: 'Pay.' }),
    ).toMatchObject({ type: 'insufficient_quota' });
  });

  it('reads a date to retry after, unless it has passed', () => {
    const at = (ms: number): string => new Date(ms).toUTCString();
    const error = { type: 'api_error', message: 'Broken.' };
    expect(refusal('anthropic', 500, error, { 'retry-after': at(NOW + 5_000) }).retryAfterMs).toBe(5_000);
    expect(refusal('anthropic', 500, error, { 'retry-after': at(NOW - 5_000) }).retryAfterMs).toBeNull();
    expect(refusal('anthropic', 500, error, { 'retry-after': 'soon' }).retryAfterMs).toBeNull();
  });

  it.each([
    ['', 'It gave no reason.'],
    ['<html>\n<h1>502 Bad Gateway</h1>', '<html>'],
    ['upstream connect error', 'upstream connect error'],
    ['{"error":"no access"}', '{"error":"no access"}'],
  ])('shows the beginning of a body that is no error of the API: %j', (body, message) => {
    expect(refusal('openai', 502, body)).toMatchObject({ status: 502, type: null, message });
  });

  it('keeps messages short', () => {
    expect(refusal('anthropic', 400, { type: 'x', message: 'y'.repeat(50_000) }).message).toHaveLength(1_000);
  });
});
