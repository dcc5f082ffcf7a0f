import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { answerOf, ask, begin, openGates, startUpstream } from './support.ts';
import { messagesStream } from './streams.ts';

const EVENT_STREAM = { 'content-type': 'text/event-stream' };
const MESSAGES = '/anthropic/v1/messages';

describe('a token', () => {
  it("never opens another turn's gate, nor anything after its turn", async () => {
    const bench = await openGates();
    const seen: string[] = [];
    const { url } = await startUpstream((request, response) => {
      seen.push(request.url ?? '');
      response.writeHead(200, EVENT_STREAM).end(messagesStream);
    });
    const turns = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => bench.open({ upstream: { baseUrl: `${url}/${name}` } })),
    );
    const open = new Set(turns);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(3), fc.nat(9)), { maxLength: 8 }), async (steps) => {
        for (const [nth, what] of steps) {
          const turn = turns[nth];
          if (turn === undefined) continue;
          if (what === 0) {
            await turn.gate.close();
            open.delete(turn);
          }
          const before = { seen: seen.length, calls: turns.map(({ calls }) => calls.length) };
          const { status } = await ask(turn.gate, { path: MESSAGES, token: turn.gate.token });
          expect(status).toBe(open.has(turn) ? 200 : 401);
          const grown = open.has(turn) ? 1 : 0;
          expect(seen.slice(before.seen)).toEqual(grown === 1 ? [`/${'abcd'[nth] ?? ''}/v1/messages`] : []);
          expect(turns.map(({ calls }) => calls.length)).toEqual(
            before.calls.map((count, other) => (other === nth ? count + grown : count)),
          );
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['missing', {}],
    ['empty', { 'x-api-key': '' }],
    ['made up', { 'x-api-key': 'x'.repeat(43) }],
    ['of another kind', { authorization: 'Basic dG9rZW4=' }],
    ['very long', { 'x-api-key': 'x'.repeat(20_000) }],
  ])('that is %s is refused in the form of what was asked, and told', async (_how, headers) => {
    const bench = await openGates();
    const { gate } = await bench.open({ upstream: { baseUrl: 'http://127.0.0.1:9' } });
    const bodies = [
      [MESSAGES, { type: 'error', error: { type: 'authentication_error' } }],
      ['/openai/responses', { error: { code: 'authentication_error' } }],
      ['/mcp', { jsonrpc: '2.0', id: null, error: { code: -32_000 } }],
      ['/', { error: { code: 'authentication_error' } }],
    ] as const;
    for (const [path, body] of bodies) {
      const answer = await ask(gate, { path, headers });
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.text)).toMatchObject(body);
      expect(answer.text).toContain('A turn that has ended can do nothing more here.');
    }
    expect(bench.events).toHaveLength(bodies.length);
    expect(bench.events).toContainEqual(
      expect.objectContaining({ reason: 'wrong_token', over: 'loopback', method: 'POST', path: '/mcp' }),
    );
    expect(JSON.stringify(bench.events)).not.toContain('xxx');
  });

  it('opens only the API that the turn has, and no tools where it has none', async () => {
    const bench = await openGates();
    const { gate } = await bench.open({ upstream: { baseUrl: 'http://127.0.0.1:9' } });
    const login = await bench.open({});
    for (const path of ['/openai/responses', '/mcp', '/anthropic/v1/files', '/elsewhere']) {
      expect((await ask(gate, { path, token: gate.token })).status).toBe(404);
    }
    expect((await ask(login.gate, { path: MESSAGES, token: login.gate.token })).status).toBe(404);
    expect(bench.events.map((event) => 'reason' in event && event.reason)).toEqual(
      Array.from({ length: 5 }, () => 'closed_path'),
    );
  });
});

describe('the end of a turn', () => {
  it('ends open streams at both ends, and records what they had counted', async () => {
    const bench = await openGates();
    const upstreamClosed = Promise.withResolvers<undefined>();
    const half = messagesStream.slice(0, messagesStream.indexOf('event: message_delta'));
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(200, EVENT_STREAM).write(half);
      response.once('close', () => {
        upstreamClosed.resolve(undefined);
      });
    });
    const { gate, calls } = await bench.open({ upstream: { baseUrl: url } });
    const message = await begin(gate, { path: MESSAGES, token: gate.token });
    await new Promise((resolve) => message.once('data', resolve));
    await gate.close();
    expect(calls).toMatchObject([{ inputTokens: 12, outputTokens: 1 }]);
    expect((await answerOf(message)).whole).toBe(false);
    await upstreamClosed.promise;
    expect(gate.refusals()).toEqual([]);
  });

  it('ends a request that upstream has not answered yet', async () => {
    const bench = await openGates();
    const asked = Promise.withResolvers<undefined>();
    const { url } = await startUpstream(() => {
      asked.resolve(undefined);
    });
    const { gate, calls } = await bench.open({ upstream: { baseUrl: url } });
    const answer = ask(gate, { path: MESSAGES, token: gate.token });
    await asked.promise;
    await Promise.all([gate.close(), expect(answer).rejects.toThrow('socket hang up')]);
    expect([calls, gate.refusals()]).toEqual([[], []]);
    await gate.close();
  });

  it('leaves the streams of other turns alone', async () => {
    const bench = await openGates();
    let end: () => void = () => undefined;
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(200, EVENT_STREAM).flushHeaders();
      end = () => response.end(messagesStream);
    });
    const [one, other] = [await bench.open({}), await bench.open({ upstream: { baseUrl: url } })];
    const message = await begin(other.gate, { path: MESSAGES, token: other.gate.token });
    await one.gate.close();
    end();
    expect((await answerOf(message)).text).toBe(messagesStream);
  });
});

describe('a client that leaves', () => {
  it('ends the call upstream, which is recorded as far as it came', async () => {
    const bench = await openGates();
    const upstreamClosed = Promise.withResolvers<undefined>();
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(200, EVENT_STREAM).write(messagesStream.slice(0, 300));
      response.once('close', () => {
        upstreamClosed.resolve(undefined);
      });
    });
    const { gate, calls, recorded } = await bench.open({ upstream: { baseUrl: url } });
    const message = await begin(gate, { path: MESSAGES, token: gate.token });
    await new Promise((resolve) => message.once('data', resolve));
    message.destroy();
    await Promise.all([upstreamClosed.promise, recorded()]);
    expect(calls).toMatchObject([{ model: 'claude-sonnet-5-5', inputTokens: 12 }]);
    expect(gate.refusals()).toEqual([]);
  });
});
