import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CliProblem } from '../../../../../src/main/engines/coding-cli/dialect.ts';
import { failureOf, type FailureFacts } from '../../../../../src/main/engines/coding-cli/failures.ts';
import type { UpstreamRefusal } from '../../../../../src/main/ports/turn-gate.ts';

const now = Date.UTC(2026, 3, 22, 10, 30);
const HOUR_MS = 3_600_000;

const facts = (over: Partial<FailureFacts>): FailureFacts => ({
  title: 'Claude Code',
  model: 'claude-sonnet-5-5',
  loginNext: 'Log in.',
  updateNext: 'Update it.',
  refusals: [],
  problem: null,
  errorOutput: '',
  exitCode: 1,
  now,
  ...over,
});
const refusal = (over: Partial<UpstreamRefusal>): UpstreamRefusal => ({
  status: 429,
  type: 'rate_limit_error',
  message: 'Refused.',
  resetsAt: null,
  retryAfterMs: null,
  ...over,
});
const problem = (over: Partial<CliProblem>): CliProblem => ({
  status: null,
  type: null,
  message: 'It failed',
  resetsAt: null,
  ...over,
});

describe('what upstream refused', () => {
  it.each([
    [
      'a limit of hours',
      refusal({ resetsAt: now + 3 * HOUR_MS }),
      { tag: 'exhausted', forGood: false, resetsAt: now + 3 * HOUR_MS },
    ],
    [
      'a limit of seconds',
      refusal({ resetsAt: now + 20_000 }),
      { tag: 'rate_limited', forGood: false, retryAfterMs: 20_000 },
    ],
    ['a limit with a pause', refusal({ retryAfterMs: 7_000 }), { tag: 'rate_limited', retryAfterMs: 7_000 }],
    ['a limit by its name', refusal({ type: 'usage_limit_reached' }), { tag: 'exhausted', forGood: false }],
    ['no quota left', refusal({ type: 'insufficient_quota' }), { tag: 'exhausted' }],
    [
      'a bad key',
      refusal({ status: 401, type: 'authentication_error' }),
      { tag: 'exhausted', forGood: true },
    ],
    [
      'an organisation without access',
      refusal({ status: 403, type: 'permission_error' }),
      { tag: 'exhausted', forGood: true },
    ],
    ['an unpaid bill', refusal({ status: 402, type: 'billing_error' }), { tag: 'exhausted', forGood: true }],
    [
      'an organisation that was disabled',
      refusal({ status: 400, message: 'This organization has been disabled.' }),
      { tag: 'exhausted', forGood: true },
    ],
    [
      'no credit',
      refusal({ status: 400, message: 'Your credit balance is too low to access the API.' }),
      { tag: 'exhausted', forGood: true },
    ],
    [
      'an overload',
      refusal({ status: 529, type: 'overloaded_error', retryAfterMs: 1_000 }),
      { tag: 'overloaded', retryAfterMs: 1_000 },
    ],
    ['a fault', refusal({ status: 500, type: 'api_error' }), { tag: 'overloaded', forGood: false }],
    ['a time-out', refusal({ status: 504 }), { tag: 'timed_out', forGood: false }],
    ['an unknown model', refusal({ status: 404 }), { tag: 'unknown_model', forGood: true }],
    ['a bad request', refusal({ status: 400 }), { tag: 'refused', forGood: true }],
    ['nobody there', refusal({ status: 0, type: null }), { tag: 'network', forGood: false }],
  ])('is %s', (_, refused, expected) => {
    expect(failureOf(facts({ refusals: [refused] }))).toMatchObject(expected);
  });

  it('counts before what the program says of it, the newest first', () => {
    const refusals = [refusal({ status: 529 }), refusal({ status: 401 })];
    const said = problem({ status: 500, message: 'API Error' });
    expect(failureOf(facts({ refusals, problem: said }))).toMatchObject({ tag: 'exhausted', forGood: true });
  });
});

describe('what a program says of its failure', () => {
  it.each([
    ['a status', problem({ status: 529 }), 'overloaded'],
    ['a status and a reset', problem({ status: 429, resetsAt: now + HOUR_MS }), 'exhausted'],
    ['a type', problem({ type: 'usage_limit_reached' }), 'exhausted'],
    [
      'the banner of a limit',
      problem({ message: "You've hit your limit · resets 4pm (Europe/Berlin)" }),
      'exhausted',
    ],
    ['an old banner', problem({ message: 'Claude AI usage limit reached|1777000000' }), 'exhausted'],
    [
      'another banner',
      problem({
        message:
          "You've hit your usage limit. To get more access now, send a request to your admin or try again at 12:16 PM.",
      }),
      'exhausted',
    ],
    [
      'an expired login',
      problem({ message: 'Failed to authenticate. OAuth token has expired.' }),
      'exhausted',
    ],
    ['no login', problem({ message: 'Not logged in · Please run /login' }), 'exhausted'],
    [
      'an organisation',
      problem({ message: 'Your organization does not have access to Claude.' }),
      'exhausted',
    ],
    ['a network', problem({ message: 'connect ECONNREFUSED 127.0.0.1:9' }), 'network'],
    ['a banner without a reset', problem({ message: "You've hit your limit" }), 'program_failed'],
    ['something else', problem({ message: 'It fell over' }), 'program_failed'],
  ])('by %s', (_, said, tag) => {
    expect(failureOf(facts({ problem: said })).tag).toBe(tag);
  });

  it('is the end of its error output where it says nothing else', () => {
    expect(failureOf(facts({ errorOutput: 'warning: old\nIt fell over\n' })).message).toContain(
      'It fell over',
    );
  });

  it('is never taken from a text that merely talks about limits', () => {
    const banner = "You've hit your limit · resets 4pm (Europe/Berlin)";
    fc.assert(
      fc.property(
        fc.lorem({ maxCount: 40 }),
        fc.lorem({ maxCount: 40 }),
        fc.boolean(),
        (words, more, before) => {
          const text = before ? `${words} ${banner} ${more}` : `${banner}. ${words} ${more}`.padEnd(161, '.');
          expect(failureOf(facts({ problem: problem({ message: text }) })).tag).not.toBe('exhausted');
        },
      ),
    );
  });

  it('always says what happened and what to do', () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 0, max: 599 })),
        fc.option(fc.string()),
        fc.string(),
        fc.option(fc.integer()),
        fc.string(),
        (status, type, message, resetsAt, errorOutput) => {
          const said = problem({ status, type, message, resetsAt });
          const failure = failureOf(facts({ problem: said, errorOutput }));
          expect(failure.message.length).toBeGreaterThan(10);
          expect(failure.next).toMatch(/\.$/);
        },
      ),
    );
  });
});
