import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ask, begin, openGates, startUpstream } from './support.ts';
import { messagesStream } from './streams.ts';

const EVENT_STREAM = { 'content-type': 'text/event-stream' };
const MESSAGES = '/anthropic/v1/messages';
const MEGABYTE = 1_048_576;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What comes back over a bare connection until the other side closes it. */
function conversation(url: string, talk: (socket: Socket) => void): Promise<string> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let said = '';
    socket.on('data', (chunk) => (said += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      resolve(said);
    });
    talk(socket);
  });
}

describe('an upstream that misbehaves', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('by compressing with %s unasked is passed on and counted', async (encoding, compress) => {
    const bench = await openGates();
    const bytes = compress(messagesStream);
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(200, { ...EVENT_STREAM, 'content-encoding': encoding }).end(bytes);
    });
    const { gate, calls, recorded } = await bench.open({ upstream: { baseUrl: url } });
    const answer = await ask(gate, { path: MESSAGES, token: gate.token });
    expect(answer.body.equals(bytes)).toBe(true);
    expect(answer.headers['content-encoding']).toBe(encoding);
    await recorded();
    expect(calls).toMatchObject([{ inputTokens: 12, outputTokens: 34 }]);
  });

  it('by compressing its errors is understood', async () => {
    const bench = await openGates();
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(529, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(error)));
    });
    const { gate } = await bench.open({ upstream: { baseUrl: url } });
    const answer = await ask(gate, { path: MESSAGES, token: gate.token });
    expect(JSON.parse(answer.text)).toEqual(error);
    expect(gate.refusals()).toMatchObject([{ status: 529, type: 'overloaded_error' }]);
  });

  it('by calling something gzip that is not is passed on, and said to be uncounted', async () => {
    const bench = await openGates();
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(200, { ...EVENT_STREAM, 'content-encoding': 'gzip' }).end(messagesStream);
    });
    const { gate, calls, recorded } = await bench.open({ upstream: { baseUrl: url } });
    expect((await ask(gate, { path: MESSAGES, token: gate.token })).text).toBe(messagesStream);
    await recorded();
    expect(calls).toMatchObject([{ model: 'unknown', inputTokens: 0, usd: null }]);
    expect(bench.events).toMatchObject([{ type: 'uncounted' }]);
  });

  it('by closing in the middle of a line leaves what came before', async () => {
    const bench = await openGates();
    const cut = messagesStream.indexOf('"output_tokens":34');
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(200, EVENT_STREAM).write(messagesStream.slice(0, cut), () => {
        response.destroy();
      });
    });
    const { gate, calls, recorded } = await bench.open({ upstream: { baseUrl: url } });
    const answer = await ask(gate, { path: MESSAGES, token: gate.token });
    expect([answer.whole, answer.text]).toEqual([false, messagesStream.slice(0, cut)]);
    await recorded();
    expect(calls).toMatchObject([{ inputTokens: 12, outputTokens: 1 }]);
    expect(gate.refusals()).toMatchObject([{ status: 0 }]);
  });

  it.each([
    ['before it answers', false],
    ['in mid-stream', true],
  ])('by falling silent %s counts as gone after the limit', async (_when, begun) => {
    const bench = await openGates({ limits: { silenceMs: 100 } });
    const { url } = await startUpstream((_request, response) => {
      if (begun) response.writeHead(200, EVENT_STREAM).write(messagesStream.slice(0, 300));
    });
    const { gate, calls, recorded } = await bench.open({ upstream: { baseUrl: url } });
    const answer = await ask(gate, { path: MESSAGES, token: gate.token });
    if (begun) await recorded();
    expect([answer.status, answer.whole]).toEqual(begun ? [200, false] : [502, true]);
    expect(gate.refusals()).toMatchObject([
      { status: 0, message: expect.stringContaining('nothing came for') as string },
    ]);
    expect(calls).toHaveLength(begun ? 1 : 0);
  });

  it.each([
    ['refuses connections', 'http://127.0.0.1:9'],
    ['has no address', 'http://nowhere.invalid'],
  ])('by being one that %s is told as such', async (_how, baseUrl) => {
    const bench = await openGates();
    const { gate, calls } = await bench.open({ upstream: { baseUrl } });
    const answer = await ask(gate, { path: MESSAGES, token: gate.token });
    expect(answer.status).toBe(502);
    expect(JSON.parse(answer.text)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    expect(answer.text).toContain(`${baseUrl} could not be reached`);
    expect(gate.refusals()).toMatchObject([{ status: 0, type: null }]);
    expect(calls).toEqual([]);
  });

  it('by answering what is no HTTP is told as such', async () => {
    const bench = await openGates();
    const { url, server } = await startUpstream(() => undefined);
    server.on('connection', (socket: Socket) => socket.end('SSH-2.0-garbage\r\n'));
    const { gate } = await bench.open({ upstream: { baseUrl: url } });
    expect((await ask(gate, { path: MESSAGES, token: gate.token })).status).toBe(502);
    expect(gate.refusals()).toMatchObject([{ status: 0 }]);
  });

  it('by sending 100 MB in one line takes no memory, and waits for a client that reads slowly', async () => {
    const bench = await openGates();
    let sent = 0;
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(200, EVENT_STREAM);
      const more = (): void => {
        while (sent < 100 && response.write(Buffer.alloc(MEGABYTE, 'x'))) sent += 1;
        if (sent >= 100) response.end('\n\n' + messagesStream);
        else sent += 1;
      };
      response.on('drain', more);
      more();
    });
    const { gate, calls, recorded } = await bench.open({ upstream: { baseUrl: url } });
    const message = await begin(gate, { path: MESSAGES, token: gate.token });
    // Nobody reads yet: what is under way fits into the buffers in between.
    for (let turn = 0; turn < 1_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBeLessThan(50);
    let received = 0;
    let most = 0;
    for await (const chunk of message as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received % 50 === 0) {
        collectGarbage();
        most = Math.max(most, process.memoryUsage().arrayBuffers);
      }
    }
    expect(received).toBe(100 * MEGABYTE + 2 + Buffer.byteLength(messagesStream));
    expect(most).toBeLessThan(60 * MEGABYTE);
    await recorded();
    expect(calls).toMatchObject([{ inputTokens: 12, outputTokens: 34 }]);
  });

  it('by refusing again and again fills no memory: the last refusals are kept', async () => {
    const bench = await openGates();
    let refused = 0;
    const { url } = await startUpstream((_request, response) => {
      refused += 1;
      response.writeHead(500).end(`Refusal ${refused}`);
    });
    const { gate } = await bench.open({ upstream: { baseUrl: `${url}/` } });
    for (let call = 0; call < 103; call += 1) await ask(gate, { path: MESSAGES, token: gate.token });
    const kept = gate.refusals().map(({ message }) => message);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([100, 'Refusal 4', 'Refusal 103']);
  });

  it('by an error without end is cut short', async () => {
    const bench = await openGates();
    const { url } = await startUpstream((_request, response) => {
      response.writeHead(500).end(Buffer.alloc(20 * MEGABYTE, 'x'));
    });
    const { gate } = await bench.open({ upstream: { baseUrl: url } });
    const answer = await ask(gate, { path: MESSAGES, token: gate.token });
    expect([answer.status, answer.whole, answer.body.length]).toEqual([500, true, 262_144]);
    expect(gate.refusals()[0]?.message).toHaveLength(1_000);
  });
});

describe('a client that misbehaves', () => {
  it.each([
    ['says so', true],
    ['does not say so', false],
  ])('by a request that is too large, and %s, is refused', async (_how, announced) => {
    const bench = await openGates({ limits: { modelRequestBytes: 2 * MEGABYTE } });
    let whole = 0;
    const { url } = await startUpstream((request, response) => {
      request.on('data', () => undefined);
      request.once('end', () => {
        whole += 1;
        response.writeHead(200, EVENT_STREAM).end(messagesStream);
      });
    });
    const { gate } = await bench.open({ upstream: { baseUrl: url } });
    const headers: Record<string, string> = announced ? {} : { 'transfer-encoding': 'chunked' };
    const [allowed, refused] = [2 * MEGABYTE, 2 * MEGABYTE + 1].map((bytes) =>
      ask(gate, { path: MESSAGES, token: gate.token, headers, body: Buffer.alloc(bytes, 'x') }),
    );
    expect((await allowed)?.status).toBe(200);
    const answer = await refused;
    expect(answer?.status).toBe(413);
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({ error: { type: 'request_too_large' } });
    expect(whole).toBe(1);
    expect(bench.events).toMatchObject([{ reason: 'too_large' }]);
    expect(gate.refusals()).toEqual([]);
  });

  it.each([
    ['garbage', '\u0016\u0003\u0001\u0002\r\n\r\n', 'HTTP/1.1 400'],
    ['a proxy request', 'CONNECT api.anthropic.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', ''],
    [
      'two lengths',
      'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'HTTP/1.1 400',
    ],
    [
      'a length and chunks',
      'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      'HTTP/1.1 400',
    ],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}`, 'HTTP/1.1 431'],
  ])('by %s is closed, and the next one is served', async (_what, bytes, expected) => {
    const bench = await openGates();
    const said = await conversation(bench.gates.localUrl, (socket) => socket.write(bytes, 'latin1'));
    expect(said.startsWith(expected)).toBe(true);
    expect(said).not.toContain('200 OK');
    expect((await ask(bench.gates, { path: '/' })).status).toBe(401);
  });

  it('by sending its headers byte after byte is closed after the limit', async () => {
    const bench = await openGates({ limits: { headersMs: 100 } });
    const said = await conversation(bench.gates.localUrl, (socket) => {
      socket.write('POST /anthropic/v1/messages HTTP/1.1\r\nHost: x\r\n');
      const drip = setInterval(() => socket.write('a'), 20);
      socket.once('close', () => {
        clearInterval(drip);
      });
    });
    expect(said).toContain('408');
  });

  it('by never finishing its body is closed after the limit, and so is the call upstream', async () => {
    const bench = await openGates({ limits: { headersMs: 100, requestMs: 200 } });
    const closed = Promise.withResolvers<undefined>();
    const { url } = await startUpstream((request) => {
      request.once('close', () => {
        closed.resolve(undefined);
      });
    });
    const { gate } = await bench.open({ upstream: { baseUrl: url } });
    const said = await conversation(gate.localUrl, (socket) => {
      socket.write(
        `POST ${MESSAGES} HTTP/1.1\r\nHost: ${new URL(gate.localUrl).host}\r\nx-api-key: ${gate.token}\r\nContent-Length: 100\r\n\r\n{`,
      );
    });
    expect(said).not.toContain('200 OK');
    await closed.promise;
  });

  it.each([
    ['a name that is not the loopback', { host: 'rebound.example' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['a web page', { origin: 'https://page.example' }],
    ['a local web page', { origin: 'http://localhost:3000' }],
  ])('by coming to the loopback from %s is refused', async (_what, headers) => {
    const bench = await openGates();
    const { gate } = await bench.open({ upstream: { baseUrl: 'http://127.0.0.1:9' } });
    for (const path of ['/mcp', MESSAGES]) {
      expect((await ask(gate, { path, token: gate.token, headers })).status).toBe(403);
    }
    expect(bench.events).toMatchObject([{ reason: 'foreign_origin' }, { reason: 'foreign_origin' }]);
  });
});
