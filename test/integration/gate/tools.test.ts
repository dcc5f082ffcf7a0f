import { connect } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { GateTool, OpenGate } from '../../../src/main/ports/turn-gate.ts';
import { answerOf, ask, begin, openGates } from './support.ts';

const input = z.object({
  verdict: z.enum(['DONE', 'BLOCKED']).describe('How the turn ended.'),
  findings: z.array(z.object({ id: z.string() })).optional(),
});

function tool(over: Partial<GateTool> = {}): GateTool {
  return {
    name: 'submit_verdict',
    description: 'Ends the turn.',
    input,
    readOnly: true,
    call: (given) => Promise.resolve({ ok: true, text: JSON.stringify(given) }),
    ...over,
  };
}

/** A tool that runs until it is told to stop, and what became of it. */
function waiting() {
  const started = Promise.withResolvers<undefined>();
  const stopped = Promise.withResolvers<undefined>();
  const answer = Promise.withResolvers<{ readonly ok: boolean; readonly text: string }>();
  const call: GateTool['call'] = (_given, signal) => {
    started.resolve(undefined);
    signal.addEventListener('abort', () => {
      stopped.resolve(undefined);
    });
    return answer.promise;
  };
  return { call, started: started.promise, stopped: stopped.promise, answer: answer.resolve };
}

async function connected(gate: OpenGate): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${gate.localUrl}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${gate.token}` } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const done = { name: 'submit_verdict', arguments: { verdict: 'DONE' } };

describe("a turn's tools over MCP", () => {
  it('are listed with what they take, and whether they only read', async () => {
    const bench = await openGates();
    const { gate } = await bench.open({ tools: [tool(), tool({ name: 'run', readOnly: false })] });
    const { tools } = await (await connected(gate)).listTools();
    expect(tools).toMatchObject([
      {
        name: 'submit_verdict',
        description: 'Ends the turn.',
        annotations: { readOnlyHint: true },
        inputSchema: {
          type: 'object',
          required: ['verdict'],
          properties: { verdict: { enum: ['DONE', 'BLOCKED'], description: 'How the turn ended.' } },
        },
      },
      { name: 'run', annotations: { readOnlyHint: false } },
    ]);
  });

  it('are called with input that fits, and answer', async () => {
    const bench = await openGates();
    const { gate } = await bench.open({ tools: [tool()] });
    const client = await connected(gate);
    expect(await client.callTool(done)).toEqual({
      content: [{ type: 'text', text: '{"verdict":"DONE"}' }],
      isError: false,
    });
    const wrong = await client.callTool({ name: 'submit_verdict', arguments: { verdict: 'MAYBE' } });
    expect(wrong).toMatchObject({ isError: true });
    expect(JSON.stringify(wrong.content)).toContain('verdict');
    expect(await client.callTool({ name: 'elsewhere', arguments: {} })).toMatchObject({ isError: true });
    expect(bench.events).toEqual([]);
  });

  it('can fail, which the agent is told as a failure', async () => {
    const bench = await openGates();
    const call: GateTool['call'] = () => Promise.resolve({ ok: false, text: 'The nonce is wrong.' });
    const { gate } = await bench.open({ tools: [tool({ call })] });
    expect(await (await connected(gate)).callTool(done)).toEqual({
      content: [{ type: 'text', text: 'The nonce is wrong.' }],
      isError: true,
    });
  });

  it('that throw are a bug, which is told', async () => {
    const bench = await openGates();
    const call: GateTool['call'] = () => Promise.reject(new Error('It broke.'));
    const { gate } = await bench.open({ tools: [tool({ call })] });
    expect(await (await connected(gate)).callTool(done)).toMatchObject({ isError: true });
    expect(bench.events).toEqual([
      { type: 'defect', message: 'A defect in Tribune, in its tool "submit_verdict": It broke.' },
    ]);
  });

  it('may take hours, while the client hears that it goes on', async () => {
    const bench = await openGates();
    const { call, started, answer } = waiting();
    const { gate } = await bench.open({ tools: [tool({ call })] });
    const client = await connected(gate);
    let heard = 0;
    const twice = Promise.withResolvers<undefined>();
    const result = client.callTool(done, undefined, {
      timeout: 20_000,
      resetTimeoutOnProgress: true,
      onprogress: () => {
        heard += 1;
        if (heard === 2) twice.resolve(undefined);
      },
    });
    await started;
    await bench.clock.until(twice.promise, 15_000);
    answer({ ok: true, text: 'Allowed.' });
    expect(await result).toMatchObject({ content: [{ text: 'Allowed.' }] });
    expect(bench.clock.pending).toBe(0);
  });

  it('are stopped when the client cancels', async () => {
    const bench = await openGates();
    const { call, started, stopped } = waiting();
    const { gate } = await bench.open({ tools: [tool({ call })] });
    const client = await connected(gate);
    const cancel = new AbortController();
    const result = client.callTool(done, undefined, { signal: cancel.signal });
    await started;
    cancel.abort();
    await Promise.all([stopped, expect(result).rejects.toThrow()]);
  });

  it('are stopped when the client hangs up', async () => {
    const bench = await openGates();
    const { call, started, stopped } = waiting();
    const { gate } = await bench.open({ tools: [tool({ call })] });
    const client = await connected(gate);
    const result = client.callTool(done).catch(() => undefined);
    await started;
    await client.close();
    await Promise.all([stopped, result]);
  });

  it('are stopped when the turn ends, and never answer again', async () => {
    const bench = await openGates();
    const { call, started, stopped, answer } = waiting();
    const { gate } = await bench.open({ tools: [tool({ call })] });
    const client = await connected(gate);
    const result = client.callTool(done).catch(() => undefined);
    await started;
    await Promise.all([gate.close(), stopped]);
    answer({ ok: true, text: 'Too late.' });
    await expect(client.listTools()).rejects.toThrow();
    expect(bench.events).toMatchObject([{ reason: 'wrong_token' }]);
    await client.close();
    await result;
  });

  it('serve several clients and calls of a turn at once', async () => {
    const bench = await openGates();
    const { gate } = await bench.open({ tools: [tool()] });
    const clients = await Promise.all([connected(gate), connected(gate)]);
    const results = await Promise.all(
      clients.flatMap((client) => Array.from({ length: 10 }, () => client.callTool(done))),
    );
    expect(results).toHaveLength(20);
    for (const result of results) expect(result.isError).toBe(false);
  });
});

describe('an MCP message that is not one', () => {
  const headers = { accept: 'application/json, text/event-stream' };
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  };

  it.each([
    ['is no JSON', 'POST', '{"jsonrpc"', 400],
    ['is nothing', 'POST', '', 400],
    ['belongs to no session', 'POST', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 400],
    [
      'is of a version that is not spoken',
      'POST',
      '{"jsonrpc":"2.0","id":1,"method":"server/discover"}',
      400,
    ],
    ['wants to be told unasked', 'GET', '', 405],
    ['ends a session that is not there', 'DELETE', '', 404],
    ['is too large', 'POST', `"${'x'.repeat(2_000_000)}"`, 413],
  ])('because it %s is refused in the form of the protocol', async (_why, method, body, status) => {
    const bench = await openGates({ limits: { toolRequestBytes: 1_000_000 } });
    const { gate } = await bench.open({ tools: [tool()] });
    const answer = await ask(gate, { path: '/mcp', token: gate.token, method, headers, body });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
  });

  it('is cut off by a client that leaves is no defect', async () => {
    const bench = await openGates();
    const { gate } = await bench.open({ tools: [tool()] });
    const { host, hostname, port } = new URL(gate.localUrl);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${gate.token}\r\nContent-Length: 100\r\n\r\n{`,
    );
    socket.end();
    await new Promise((resolve) => socket.resume().once('close', resolve));
    await gate.close();
    expect(bench.events).toEqual([]);
  });

  it('of another turn finds no session there', async () => {
    const bench = await openGates();
    const [one, other] = [await bench.open({ tools: [tool()] }), await bench.open({ tools: [tool()] })];
    const begun = await begin(one.gate, {
      path: '/mcp',
      token: one.gate.token,
      headers,
      body: JSON.stringify(initialize),
    });
    const session = begun.headers['mcp-session-id'];
    expect((await answerOf(begun)).status).toBe(200);
    const list = {
      path: '/mcp',
      headers: { ...headers, 'mcp-session-id': String(session) },
      body: '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    };
    expect((await ask(one.gate, { ...list, token: one.gate.token })).status).toBe(200);
    expect((await ask(other.gate, { ...list, token: other.gate.token })).status).toBe(404);
  });

  it('opens only so many sessions', async () => {
    const bench = await openGates();
    const { gate } = await bench.open({ tools: [tool()] });
    const statuses: number[] = [];
    for (let nth = 0; nth < 33; nth += 1) {
      const answer = await ask(gate, {
        path: '/mcp',
        token: gate.token,
        headers,
        body: JSON.stringify(initialize),
      });
      statuses.push(answer.status);
    }
    expect(new Set(statuses.slice(0, 32))).toEqual(new Set([200]));
    expect(statuses[32]).toBe(400);
  });
});
