import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/shared/kernel/secret.ts';
import { fails, inTurn, says } from '../../fakes/messages-server/script.ts';
import type { Script } from '../../fakes/messages-server/script.ts';
import { startMessagesServer } from '../../fakes/messages-server/server.ts';
import { onTestFinished } from 'vitest';
import { ask, CANARY, openGates, startUpstream } from './support.ts';
import type { GateBench } from './support.ts';
import { messagesStream, responsesStream } from './streams.ts';

const EVENT_STREAM = { 'content-type': 'text/event-stream' };
const MESSAGES = '/anthropic/v1/messages';

/** The real client of the API, through a gate, to a server that speaks its protocol and takes only the real key. */
async function clientThrough(bench: GateBench, script: Script) {
  const server = await startMessagesServer(script, { apiKey: CANARY });
  onTestFinished(() => server.close());
  const opened = await bench.open({ upstream: { baseUrl: server.url } });
  const client = new Anthropic({
    baseURL: `${opened.gate.localUrl}/anthropic`,
    apiKey: opened.gate.token,
    maxRetries: 0,
  });
  return { ...opened, server, client };
}

const question = {
  model: 'claude-sonnet-5-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello?' }],
} as const satisfies Anthropic.MessageCreateParamsNonStreaming;

describe('the real client of the Messages API, through a gate', () => {
  it('gets its answer, and the call is counted', async () => {
    const bench = await openGates();
    const usage = {
      input_tokens: 12,
      output_tokens: 34,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 6,
    };
    const { client, calls, gate, recorded } = await clientThrough(bench, () =>
      says('Hello – ✓, in pieces that split characters.', { usage, bytesPerWrite: 7 }),
    );
    const message = await client.messages.stream({ ...question }).finalMessage();
    expect(message.content).toMatchObject([{ text: 'Hello – ✓, in pieces that split characters.' }]);
    await recorded();
    expect(calls).toEqual([
      {
        model: 'claude-sonnet-5-5',
        inputTokens: 12,
        outputTokens: 34,
        cacheReadTokens: 5,
        cacheWriteTokens: 6,
        usd: 12 + 340 + 500 + 6_000,
        durationMs: 0,
      },
    ]);
    expect(gate.refusals()).toEqual([]);
    expect(bench.events).toEqual([]);
  });

  it('gets the errors of the API as they are, and the facts are kept', async () => {
    const bench = await openGates();
    const { client, calls, gate } = await clientThrough(
      bench,
      inTurn(
        fails(429, 'rate_limit_error', 'The limit is reached.', {
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-reset': '1767229200',
        }),
        fails(529, 'overloaded_error', 'Overloaded', { 'retry-after': '7' }),
      ),
    );
    await expect(client.messages.stream({ ...question }).finalMessage()).rejects.toThrow(
      Anthropic.RateLimitError,
    );
    await expect(client.messages.stream({ ...question }).finalMessage()).rejects.toMatchObject({
      status: 529,
      type: 'overloaded_error',
    });
    expect(gate.refusals()).toEqual([
      {
        status: 429,
        type: 'rate_limit_error',
        message: 'The limit is reached.',
        resetsAt: 1_767_229_200_000,
        retryAfterMs: null,
      },
      {
        status: 529,
        type: 'overloaded_error',
        message: 'Overloaded',
        resetsAt: null,
        retryAfterMs: 7_000,
      },
    ]);
    expect(calls).toEqual([]);
  });

  it('is told of a break in mid-stream by a break, and what had been counted is recorded', async () => {
    const bench = await openGates();
    const { client, calls, gate, recorded } = await clientThrough(bench, () =>
      says('Hello, this breaks.', {
        usage: { input_tokens: 50 },
        fault: { kind: 'cut', afterEvents: 3 },
      }),
    );
    await expect(client.messages.stream({ ...question }).finalMessage()).rejects.toThrow();
    await recorded();
    expect(calls).toMatchObject([{ inputTokens: 50, outputTokens: 1 }]);
    expect(gate.refusals()).toMatchObject([
      { status: 0, message: expect.stringContaining('cut off') as string },
    ]);
  });

  it('is told of an error within the stream, which is kept too', async () => {
    const bench = await openGates();
    const { client, gate, recorded } = await clientThrough(bench, () =>
      says('Hello.', {
        fault: { kind: 'error', afterEvents: 3, type: 'overloaded_error', message: 'Overloaded' },
      }),
    );
    await expect(client.messages.stream({ ...question }).finalMessage()).rejects.toThrow('Overloaded');
    await recorded();
    expect(gate.refusals()).toMatchObject([{ status: 200, type: 'overloaded_error' }]);
  });

  it('is refused before upstream hears of it where the budget is used up', async () => {
    const bench = await openGates();
    const { url } = await startUpstream((_request, response) => response.end());
    const { gate, calls } = await bench.open({
      upstream: { baseUrl: url },
      permit: () => ({ kind: 'refused', limit: 'usd' }),
    });
    const client = new Anthropic({ baseURL: `${gate.localUrl}/anthropic`, apiKey: gate.token });
    await expect(client.messages.create({ ...question })).rejects.toMatchObject({
      status: 400,
      type: 'billing_error',
      message: expect.stringContaining("The task's budget of money is used up") as string,
    });
    expect(calls).toEqual([]);
    expect(bench.events).toMatchObject([{ reason: 'budget' }]);
    // Counting tokens and listing models cost nothing.
    expect((await ask(gate, { path: '/anthropic/v1/models', method: 'GET', token: gate.token })).status).toBe(
      200,
    );
  });
});

describe('bytes', () => {
  it('go through untouched both ways, whatever they are', async () => {
    const bench = await openGates();
    const sent = Buffer.from(Array.from({ length: 100_000 }, (_, nth) => (nth * 7) % 256));
    const { url } = await startUpstream((request, response) => {
      response.writeHead(200, EVENT_STREAM);
      request.pipe(response);
    });
    const { gate } = await bench.open({ upstream: { baseUrl: url } });
    const answer = await ask(gate, { path: MESSAGES, token: gate.token, body: sent });
    expect(answer.body.equals(sent)).toBe(true);
    expect(bench.events).toMatchObject([{ type: 'uncounted' }]);
  });

  it('go through one by one', async () => {
    const bench = await openGates();
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(200, EVENT_STREAM);
      void (async () => {
        for (const byte of Buffer.from(responsesStream)) {
          await new Promise<void>((resolve) => {
            response.write(Buffer.from([byte]), () => {
              resolve();
            });
          });
        }
        response.end();
      })();
    });
    const { gate, calls } = await bench.open({ upstream: { api: 'openai', baseUrl: `${url}/v1` } });
    const answer = await ask(gate, {
      path: '/openai/responses',
      headers: { authorization: `Bearer ${gate.token}` },
    });
    expect(answer.text).toBe(responsesStream);
    expect(calls).toMatchObject([
      { model: 'gpt-5.5', inputTokens: 12, outputTokens: 34, cacheReadTokens: 5, cacheWriteTokens: 0 },
    ]);
  });

  it('reach the client before the stream ends', async () => {
    const bench = await openGates();
    let end: () => void = () => undefined;
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write('data: first\n\n');
      end = () => response.end('data: last\n\n');
    });
    const { gate } = await bench.open({ upstream: { baseUrl: url } });
    const response = await fetch(`${gate.localUrl}${MESSAGES}`, {
      method: 'POST',
      headers: { 'x-api-key': gate.token },
      body: '{}',
    });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: first\n\n');
    end();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: last\n\n');
  });
});

describe('the key', () => {
  const echoes = (status: number) =>
    startUpstream((request, response) => {
      const said = JSON.stringify(request.headers);
      response.writeHead(status, {
        'content-type': 'application/json',
        'x-echo': String(request.headers['x-api-key']),
      });
      response.end(JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: said } }));
    });

  it.each([401, 403, 500])('is not seen, though an upstream repeats it with status %i', async (status) => {
    const bench = await openGates();
    const { url } = await echoes(status);
    const { gate } = await bench.open({ upstream: { baseUrl: url } });
    const answer = await ask(gate, { path: MESSAGES, token: gate.token });
    const seen = JSON.stringify([answer, gate.refusals(), bench.events, gate]);
    expect(seen).toContain('•••');
    expect(seen).not.toContain(CANARY);
    expect(answer.text).not.toContain(CANARY);
    expect(answer.status).toBe(status);
    expect(Number(answer.headers['content-length'])).toBe(answer.body.length);
  });

  it('is not seen where upstream cannot be reached, or sends the client elsewhere', async () => {
    const bench = await openGates();
    const { url } = await startUpstream((request, response) => {
      response
        .writeHead(307, { location: `http://evil.example/?${String(request.headers['x-api-key'])}` })
        .end();
    });
    for (const baseUrl of [url, 'http://127.0.0.1:9']) {
      const { gate } = await bench.open({ upstream: { baseUrl } });
      const answer = await ask(gate, { path: MESSAGES, token: gate.token });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify([answer.text, answer.headers, gate.refusals(), bench.events])).not.toContain(
        CANARY,
      );
    }
  });

  it('goes to the base URL alone, whatever host the client names', async () => {
    const bench = await openGates();
    const hosts: (string | undefined)[] = [];
    const { url } = await startUpstream((request, response) => {
      hosts.push(request.headers.host);
      response.writeHead(200, EVENT_STREAM).end(messagesStream);
    });
    const { gate } = await bench.open({ upstream: { baseUrl: url } });
    const { socketPath } = gate;
    const named = { path: MESSAGES, token: gate.token, socketPath, headers: { host: 'evil.example' } };
    expect((await ask(gate, named)).status).toBe(200);
    expect(hosts).toEqual([new URL(url).host]);
    for (const path of [
      `http://evil.example${MESSAGES}`,
      `//evil.example${MESSAGES}`,
      '/anthropic/v1/../../x',
    ]) {
      expect((await ask(gate, { ...named, path })).status).toBe(404);
    }
    expect(hosts).toHaveLength(1);
  });

  it('is sent as a bearer token where it is one', async () => {
    const bench = await openGates();
    const seen: unknown[] = [];
    const { url } = await startUpstream((request, response) => {
      seen.push([
        request.headers.authorization,
        request.headers['x-api-key'],
        request.headers['anthropic-beta'],
      ]);
      response.writeHead(200, EVENT_STREAM).end(messagesStream);
    });
    const key = new Secret('sk-ant-oat01-canary');
    const { gate, calls } = await bench.open({ upstream: { baseUrl: url, key, sentAs: 'bearer' } });
    await ask(gate, { path: MESSAGES, token: gate.token });
    // A subscription pays for it.
    expect(calls).toMatchObject([{ outputTokens: 34, usd: null }]);
    expect(seen).toEqual([['Bearer sk-ant-oat01-canary', undefined, 'oauth-2025-04-20']]);
  });
});

describe('a redirect', () => {
  it('is not followed, and told', async () => {
    const bench = await openGates();
    let elsewhere = 0;
    const other = await startUpstream((_request, response) => {
      elsewhere += 1;
      response.end();
    });
    const closed = Promise.withResolvers<undefined>();
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(307, { location: other.url }).write('A body without end');
      response.once('close', () => {
        closed.resolve(undefined);
      });
    });
    const { gate, calls } = await bench.open({ upstream: { baseUrl: url } });
    const answer = await ask(gate, { path: MESSAGES, token: gate.token });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('which is not followed');
    expect(answer.headers.location).toBeUndefined();
    expect(bench.events).toMatchObject([{ type: 'refused', reason: 'redirect' }]);
    expect(gate.refusals()).toMatchObject([{ status: 307, type: 'redirect' }]);
    expect([elsewhere, calls]).toEqual([0, []]);
    await closed.promise;
  });
});
