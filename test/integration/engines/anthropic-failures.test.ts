import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createAnthropicEngine } from '../../../src/main/engines/anthropic/anthropic-engine.ts';
import { createTerminals } from '../../../src/main/terminals/terminals.ts';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import {
  calls,
  fails,
  inTurn,
  says,
  type Reply,
  type StreamFault,
} from '../../fakes/messages-server/script.ts';
import { accountWith, failed, KEY, MODEL, verdict, workbench, yielded } from './support.ts';

const IDLE_MS = 90_000;
const CALL_MS = 30 * 60_000;

async function failureOf(reply: Reply) {
  const bench = await workbench(inTurn(reply));
  const failure = failed(await bench.run());
  // The SDK must not have tried again behind our back, and nothing of a failed call may be kept.
  expect(bench.server.requests).toHaveLength(1);
  expect(bench.desk.memory.entries).toEqual([]);
  return { failure, bench };
}

describe('a call that the API refuses', () => {
  it.each([
    [401, 'authentication_error', 'exhausted', true],
    [403, 'permission_error', 'exhausted', true],
    [402, 'billing_error', 'exhausted', true],
    [404, 'not_found_error', 'unknown_model', true],
    [400, 'invalid_request_error', 'refused', true],
    [413, 'request_too_large', 'refused', true],
    [408, 'timeout_error', 'timed_out', false],
    [429, 'rate_limit_error', 'rate_limited', false],
    [500, 'api_error', 'overloaded', false],
    [503, 'api_error', 'overloaded', false],
    [529, 'overloaded_error', 'overloaded', false],
  ])('%i %s fails as %s', async (status, type, tag, forGood) => {
    const { failure } = await failureOf(fails(status, type, 'Because of that.'));
    expect(failure).toMatchObject({ tag, forGood });
    expect(failure.message).toContain('Because of that.');
  });

  it('says how long to wait where the API does', async () => {
    const wait = (value: string) =>
      failureOf(fails(429, 'rate_limit_error', 'Slow down.', { 'retry-after': value }));
    expect((await wait('17')).failure.retryAfterMs).toBe(17_000);
    const inAMinute = new Date(Date.UTC(2026, 0, 1, 0, 1)).toUTCString();
    expect((await wait(inAMinute)).failure.retryAfterMs).toBe(60_000);
    expect((await wait('soon')).failure.retryAfterMs).toBeUndefined();
    expect(
      (await failureOf(fails(529, 'overloaded_error', 'Busy.', { 'retry-after': '3' }))).failure.retryAfterMs,
    ).toBe(3_000);
  });

  it('tells a used-up account from a rate that is too high, with its reset', async () => {
    const limit = (over: Record<string, string>) =>
      failureOf(
        fails(429, 'rate_limit_error', 'This request would exceed your limit.', {
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-reset': '1767229200',
          ...over,
        }),
      );
    expect((await limit({})).failure).toMatchObject({
      tag: 'exhausted',
      forGood: false,
      resetsAt: 1_767_229_200_000,
    });
    const unknown = (await limit({ 'anthropic-ratelimit-unified-reset': 'soon' })).failure;
    expect(unknown).toMatchObject({ tag: 'exhausted', forGood: false });
    expect(unknown.resetsAt).toBeUndefined();
    expect((await limit({ 'anthropic-ratelimit-unified-status': 'allowed' })).failure.tag).toBe(
      'rate_limited',
    );
  });

  it('tells a spending limit by how the message begins, never by what it quotes', async () => {
    const words =
      'You have reached your specified API usage limits. You will regain access on 2026-02-01 at 00:00 UTC.';
    const said = async (message: string) =>
      (await failureOf(fails(400, 'invalid_request_error', message))).failure;
    expect(await said(words)).toMatchObject({ tag: 'exhausted', resetsAt: Date.UTC(2026, 1, 1) });
    expect(await said('Your credit balance is too low to access the API.')).toMatchObject({
      tag: 'exhausted',
      forGood: true,
    });
    expect(await said('This organization has been disabled.')).toMatchObject({
      tag: 'exhausted',
      forGood: true,
    });
    expect(await said(`messages.3: "${words}" is no valid content`)).toMatchObject({ tag: 'refused' });
  });

  it('says what to do about a conversation that is too long', async () => {
    const { failure } = await failureOf(
      fails(400, 'invalid_request_error', 'prompt is too long: 1000001 tokens > 1000000 maximum'),
    );
    expect(failure).toMatchObject({ tag: 'refused', forGood: true });
    expect(failure.next).toMatch(/Split the task/);
  });

  it.each(['refusal', 'model_context_window_exceeded'])(
    'fails for good on the stop reason %s',
    async (stop) => {
      const { failure, bench } = await failureOf(says('I', { stop }));
      expect(failure).toMatchObject({ tag: 'refused', forGood: true });
      expect(bench.desk.calls).toHaveLength(1);
    },
  );

  it('names an unknown model and a wrong key', async () => {
    const unknown = await workbench(inTurn(), { models: ['claude-other'] });
    const failure = failed(await unknown.run());
    expect(failure).toMatchObject({ tag: 'unknown_model', forGood: true });
    expect(failure.message).toContain(MODEL);
    const wrongKey = await workbench(inTurn(), { apiKey: 'another' });
    expect(failed(await wrongKey.run())).toMatchObject({ tag: 'exhausted', forGood: true });
  });
});

describe('a reply that breaks off', () => {
  it.each<[string, StreamFault]>([
    ['a torn connection', { kind: 'cut', afterEvents: 5 }],
    ['a torn connection before the first event', { kind: 'cut', afterEvents: 0 }],
    ['a stream that ends before the message does', { kind: 'end', afterEvents: 5 }],
    ['a stream that ends just before its last event', { kind: 'end', afterEvents: 8 }],
  ])('is never used: %s', async (_what, fault) => {
    const text = 'DONE. All of it is done, and this text is long enough for several pieces.';
    const { failure } = await failureOf(says(text, { fault }));
    expect(failure).toMatchObject({ tag: 'cut_off', forGood: false });
  });

  it('is counted with what is known of its cost', async () => {
    const { bench } = await failureOf(
      says('DONE', { usage: { input_tokens: 500 }, fault: { kind: 'cut', afterEvents: 5 } }),
    );
    expect(bench.desk.calls).toMatchObject([{ inputTokens: 500 }]);
  });

  it.each([
    ['overloaded_error', 'overloaded', false],
    ['rate_limit_error', 'rate_limited', false],
    ['api_error', 'overloaded', false],
    ['invalid_request_error', 'refused', true],
  ])('by an error in the stream: %s fails as %s', async (type, tag, forGood) => {
    const fault = { kind: 'error', afterEvents: 4, type, message: 'Sorry.' } as const;
    expect((await failureOf(says('DONE', { fault }))).failure).toMatchObject({ tag, forGood });
  });

  it('can be tried again on the same session', async () => {
    const bench = await workbench(
      inTurn(
        calls('list_files', {}),
        says('Half', { fault: { kind: 'cut', afterEvents: 4 } }),
        calls('submit_verdict', verdict()),
      ),
    );
    failed(await bench.run());
    expect(yielded(await bench.run()).reading).toMatchObject({ verdict: 'DONE' });
    // The prompt is not said twice: the turn goes on where it was.
    expect(JSON.stringify(bench.server.requests[2]?.messages).split('Do the work.')).toHaveLength(2);
  });
});

describe('a connection that hangs', () => {
  it('is given up after a silence, before the answer', async () => {
    const bench = await workbench(inTurn({ kind: 'hang' }));
    const running = bench.run();
    await bench.server.received(1);
    bench.clock.advance(IDLE_MS);
    expect(failed(await running)).toMatchObject({ tag: 'timed_out', forGood: false });
    expect(bench.clock.pending).toBe(0);
  });

  it('is given up after a silence, in the middle', async () => {
    // Cut after the first of two texts, which is reported when it is whole.
    const content = [
      { type: 'text' as const, text: 'DONE' },
      { type: 'text' as const, text: 'More.' },
    ];
    const bench = await workbench(
      inTurn({ kind: 'message', content, fault: { kind: 'hang', afterEvents: 5 } }),
    );
    const running = bench.run();
    await bench.desk.reported('text');
    bench.clock.advance(IDLE_MS - 1);
    bench.clock.advance(1);
    expect(failed(await running)).toMatchObject({ tag: 'timed_out', forGood: false });
    expect(bench.desk.memory.entries).toEqual([]);
    expect(bench.clock.pending).toBe(0);
  });

  it('is not given up while pieces come, however slowly, until the whole takes too long', async () => {
    const content = Array.from({ length: 30 }, (_, number) => ({
      type: 'text' as const,
      text: `Part ${number}.`,
    }));
    const beforeEvent = async (index: number): Promise<void> => {
      // Two events come first; then each text has three: start, piece, stop.
      const text = (index - 2) / 3;
      if (!Number.isInteger(text) || text < 1) return;
      await bench.desk.reported('text', text);
      bench.clock.advance(IDLE_MS - 1_000);
    };
    const bench = await workbench(inTurn({ kind: 'message', content, beforeEvent }));
    const failure = failed(await bench.run());
    expect(failure.tag).toBe('timed_out');
    expect(failure.message).toContain(`not complete after ${CALL_MS / 1_000} seconds`);
    expect(bench.desk.events.length).toBe(Math.ceil(CALL_MS / (IDLE_MS - 1_000)));
  });
});

describe('a stop', () => {
  it('ends a call that hangs', async () => {
    const bench = await workbench(inTurn({ kind: 'hang' }));
    const controller = new AbortController();
    const running = bench.run({}, controller.signal);
    await bench.server.received(1);
    controller.abort();
    expect(failed(await running)).toMatchObject({ tag: 'stopped' });
    expect(bench.clock.pending).toBe(0);
  });

  it('ends a command that runs, and what it has started', async () => {
    const bench = await workbench(inTurn(calls('run_command', { command: 'echo ready; sleep 1000' })));
    const controller = new AbortController();
    void bench.desk.reported('terminal_output').then(() => {
      controller.abort();
    });
    expect(failed(await bench.run({}, controller.signal))).toMatchObject({ tag: 'stopped' });
  });

  it('that came before the turn lets nothing begin', async () => {
    const bench = await workbench(inTurn());
    expect(failed(await bench.run({}, AbortSignal.abort()))).toMatchObject({ tag: 'stopped' });
    expect(bench.server.requests).toHaveLength(0);
  });
});

it('a bug of the host in the middle of a stream stays a bug', async () => {
  const bench = await workbench(inTurn(says('DONE')));
  bench.desk.report = () => {
    throw new TypeError('a bug');
  };
  await expect(bench.run()).rejects.toThrow('a bug');
});

describe('settings', () => {
  const terminals = createTerminals({ clock: systemClock });
  const engine = createAnthropicEngine({ clock: systemClock, terminals });
  const settings = { engine: 'anthropic', model: MODEL, maxTokens: null, command: null } as const;

  it('without an account that has a key fail with what to set', async () => {
    const bench = await workbench(inTurn());
    const own = { name: 'own', access: null, baseUrl: null };
    for (const account of [null, own]) {
      const failure = failed(await bench.run({ account }));
      expect(failure).toMatchObject({ tag: 'login', forGood: true });
      expect(failure.next).toContain('ANTHROPIC_API_KEY');
    }
  });

  it('without a model fail with what to name', async () => {
    expect(await engine.check({ ...settings, model: null })).toMatchObject({
      failure: { tag: 'misconfigured', forGood: true },
    });
  });

  it('that are complete pass, and say that they were not tried', async () => {
    const checked = await engine.check(settings);
    expect(checked.ok && checked.value).toContain('not tried');
    const unpriced = await engine.check({ ...settings, model: 'claude-unheard-of' });
    expect(unpriced.ok && unpriced.value).toContain('price is not known');
  });

  it('with nobody at the address fail as network, naming it', async () => {
    const closed = createServer();
    const port = await new Promise<number>((resolve) => {
      closed.listen(0, '127.0.0.1', () => {
        const address = closed.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    await new Promise((resolve) => closed.close(resolve));
    const bench = await workbench(inTurn());
    const failure = failed(await bench.run({ account: accountWith(KEY, `http://127.0.0.1:${port}`) }));
    expect(failure).toMatchObject({ tag: 'network', forGood: false });
    expect(failure.message).toContain(`127.0.0.1:${port}`);
    expect(failure.message).toContain('ECONNREFUSED');
  });
});
