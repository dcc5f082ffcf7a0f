import { createServer, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server } from 'node:http';
import { onTestFinished } from 'vitest';
import { openTurnGates } from '../../../src/main/gate/turn-gates.ts';
import type { OpenTurnGates, TurnGatesOptions } from '../../../src/main/gate/turn-gates.ts';
import type { GateEvent } from '../../../src/main/gate/gate-event.ts';
import type { CallPermit, ModelCall } from '../../../src/main/ports/engine.ts';
import type { GateTool, OpenGate, Upstream } from '../../../src/main/ports/turn-gate.ts';
import { Secret } from '../../../src/shared/kernel/secret.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The key that must be seen nowhere. */
export const CANARY = 'sk-ant-api03-canary-7c1f';

export interface GateBench {
  readonly gates: OpenTurnGates;
  readonly clock: ManualClock;
  readonly events: GateEvent[];
  open(grant: {
    readonly upstream?: Partial<Upstream> & { readonly baseUrl: string };
    readonly tools?: readonly GateTool[];
    readonly permit?: () => CallPermit;
  }): Promise<{
    readonly gate: OpenGate;
    readonly calls: ModelCall[];
    readonly recorded: () => Promise<void>;
  }>;
}

/** Gates that end with the test. */
export async function openGates(over: Partial<TurnGatesOptions> = {}): Promise<GateBench> {
  const clock = new ManualClock();
  const events: GateEvent[] = [];
  const opened = await openTurnGates({
    directory: temporaryFolder('gate'),
    agentUser: null,
    clock,
    // A price that shows each kind of token in the sum.
    usdOf: (_api, _model, { input, output, cacheRead, cacheWrite }) =>
      input + output * 10 + cacheRead * 100 + cacheWrite * 1000,
    onEvent: (event) => {
      events.push(event);
    },
    ...over,
  });
  if (!opened.ok) throw new Error(opened.failure.message);
  const gates = opened.value;
  onTestFinished(() => gates.close());
  return {
    gates,
    clock,
    events,
    async open({ upstream, tools = [], permit = () => ({ kind: 'go' }) }) {
      const calls: ModelCall[] = [];
      let told: () => void = () => undefined;
      const gate = await gates.open({
        upstream:
          upstream === undefined
            ? null
            : { api: 'anthropic', key: new Secret(CANARY), sentAs: 'api_key', ...upstream },
        tools,
        beforeCall: permit,
        recordCall: (call) => {
          calls.push(call);
          told();
        },
      });
      return {
        gate,
        calls,
        recorded: () =>
          calls.length > 0
            ? Promise.resolve()
            : new Promise((resolve) => {
                told = resolve;
              }),
      };
    },
  };
}

/** An upstream that answers just so, byte by byte. */
export async function startUpstream(
  listener: RequestListener,
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The upstream has no port.');
  return { url: `http://127.0.0.1:${address.port}`, server };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  /** Whether it came to its end, rather than being cut off. */
  readonly whole: boolean;
}

export interface Ask {
  readonly path: string;
  readonly token?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly socketPath?: string;
}

/** Sends a request as it is told, over the loopback or the socket, and reads what comes. */
export async function ask(gate: { readonly localUrl: string }, one: Ask): Promise<Answer> {
  return answerOf(await begin(gate, one));
}

/** The same, up to the answer's head. */
export function begin(gate: { readonly localUrl: string }, one: Ask): Promise<IncomingMessage> {
  const { host, hostname, port } = new URL(gate.localUrl);
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      ...(one.socketPath === undefined ? { hostname, port } : { socketPath: one.socketPath }),
      path: one.path,
      method: one.method ?? 'POST',
      agent: false,
      headers: {
        host,
        'content-type': 'application/json',
        ...(one.token === undefined ? {} : { 'x-api-key': one.token }),
        ...one.headers,
      },
    });
    request.once('response', resolve);
    request.once('error', reject);
    request.end(one.body ?? (one.method === 'GET' ? undefined : '{}'));
  });
}

export async function answerOf(message: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let whole = true;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    whole = false;
  }
  const body = Buffer.concat(chunks);
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    body,
    text: body.toString('utf8'),
    whole,
  };
}
