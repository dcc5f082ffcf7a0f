/**
 * One part of the gate's measurement, as a process of its own, since in life neither the model nor the agent shares
 * the host's: `node gate-parts.ts upstream`, or `node gate-parts.ts gate <upstream>`. Prints one line of JSON with
 * where it is when it is ready, and ends with its standard input.
 */
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { usdOf, listPrices } from '../src/main/engines/anthropic/prices.ts';
import { openTurnGates } from '../src/main/gate/turn-gates.ts';
import { systemClock } from '../src/shared/kernel/clock.ts';
import { Secret } from '../src/shared/kernel/secret.ts';
import { valueOf } from './programs.ts';

/** About how fast models write: an event each 40 ms in each stream. */
const EVENT_GAP_MS = 40;
const MODEL = 'claude-sonnet-5-5';

const [, , part, upstreamUrl = ''] = process.argv;
const close = part === 'gate' ? await serveGate(upstreamUrl) : await serveUpstream();
process.stdin.resume().once('end', () => void close());

/** A model that stamps each event with the time at which it was sent; `?events=` says how many. */
function serveUpstream(): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const events = Number(new URL(request.url ?? '', 'http://upstream').searchParams.get('events'));
    request.resume().once('end', () => {
      stream(response, events);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The model has no port.');
      console.log(JSON.stringify({ url: `http://127.0.0.1:${address.port}`, token: 'any' }));
      resolve(() => {
        server.closeAllConnections();
        return new Promise((closed) => {
          server.close(() => {
            closed();
          });
        });
      });
    });
  });
}

function stream(response: ServerResponse, events: number): void {
  const usage = { input_tokens: 1_200, output_tokens: 1, cache_read_input_tokens: 40_000 };
  const send = (event: { readonly type: string } & Readonly<Record<string, unknown>>): void => {
    const sentAt = performance.timeOrigin + performance.now();
    response.write(`event: ${event.type}\ndata: ${JSON.stringify({ ...event, sentAt })}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send({ type: 'message_start', message: { type: 'message', model: MODEL, usage } });
  let left = events;
  const next = (): void => {
    if (left > 0) {
      left -= 1;
      const delta = { type: 'text_delta', text: 'Some words of an answer.' };
      send({ type: 'content_block_delta', index: 0, delta });
      setTimeout(next, EVENT_GAP_MS);
      return;
    }
    send({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 300 } });
    response.end('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  };
  next();
}

async function serveGate(baseUrl: string): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'tribune-bench-gate-'));
  const gates = valueOf(
    await openTurnGates({
      directory,
      agentUser: null,
      clock: systemClock,
      usdOf: (_api, model, tokens) => usdOf(listPrices, model, tokens),
      onEvent: ({ message }) => {
        throw new Error(message);
      },
    }),
  );
  const gate = await gates.open({
    upstream: { api: 'anthropic', baseUrl, key: new Secret('key'), sentAs: 'api_key' },
    beforeCall: () => ({ kind: 'go' }),
    recordCall: ({ outputTokens }) => {
      if (outputTokens !== 300) throw new Error(`A call was counted as ${outputTokens} tokens.`);
    },
    tools: [],
  });
  console.log(JSON.stringify({ url: `${gate.localUrl}/anthropic`, token: gate.token }));
  return async () => {
    await gates.close();
    rmSync(directory, { recursive: true, force: true });
  };
}
