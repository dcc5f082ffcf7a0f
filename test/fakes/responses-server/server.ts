import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readRequest, type ResponsesRequest } from './protocol.ts';
import { fails, type ErrorReply, type ReplyUsage, type ResponseReply, type Script } from './script.ts';
import { eventsOf, failedEvent, sse } from './stream.ts';

/** Roughly what a token is long; only for usage that no script says. */
const CHARACTERS_PER_TOKEN = 4;

export interface ResponsesServerOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** The one key that is let in; by default any is. */
  readonly apiKey?: string;
  /** The models that there are; by default any is. */
  readonly models?: readonly string[];
  readonly newId?: () => string;
}

/** A request that was refused for its form, or for who sent it. */
export interface Refusal {
  readonly status: number;
  readonly problem: string;
}

export interface ResponsesServer {
  /** For the client's base URL: it ends with `/v1`. */
  readonly url: string;
  /** The well-formed requests, in the order in which they came. */
  readonly requests: readonly ResponsesRequest[];
  /** What the real API would have refused too: a test of an engine wants none. */
  readonly refusals: readonly Refusal[];
  /** Resolves when so many well-formed requests have come. */
  received(count: number): Promise<void>;
  /** Ends all connections, those that hang too. */
  close(): Promise<void>;
}

/**
 * A Responses API on a loopback socket: it speaks the API's streaming protocol, refuses what the API refuses, and
 * answers what a script says.
 */
export async function startResponsesServer(
  script: Script,
  options: ResponsesServerOptions = {},
): Promise<ResponsesServer> {
  const requests: ResponsesRequest[] = [];
  const refusals: Refusal[] = [];
  const waiting: { readonly count: number; readonly tell: () => void }[] = [];
  const newId = options.newId ?? ((): string => randomUUID().replaceAll('-', ''));

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const admitted = admit(incoming, await bodyOf(incoming), options);
    if (!admitted.ok) {
      refusals.push({ status: admitted.reply.status, problem: admitted.reply.message });
      sendError(response, admitted.reply, newId());
      return;
    }
    const number = requests.push(admitted.request);
    for (const { count, tell } of waiting) if (count <= number) tell();
    const reply = await script(admitted.request, number);
    if (reply.kind === 'error') sendError(response, reply, newId());
    if (reply.kind === 'response') await sendResponse(response, admitted.request, reply, newId);
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((thrown: unknown) => {
      // A script that throws is a broken test: the client hears of it in the API's form.
      const message = `The script failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
      if (response.headersSent) response.destroy();
      else sendError(response, fails(500, 'server_error', message), newId());
    });
  });
  const port = await listen(server, options.port ?? 0);

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    refusals,
    received(count) {
      if (requests.length >= count) return Promise.resolve();
      return new Promise((tell) => {
        waiting.push({ count, tell });
      });
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      });
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(address.port);
    });
  });
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array));
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return null;
  }
}

type Admission =
  | { readonly ok: true; readonly request: ResponsesRequest }
  | { readonly ok: false; readonly reply: ErrorReply };

/** The checks that the API makes before any model is asked, in its order. */
function admit(incoming: IncomingMessage, body: unknown, options: ResponsesServerOptions): Admission {
  const refuse = (status: number, message: string, code: string | null = null): Admission => ({
    ok: false,
    reply: fails(status, 'invalid_request_error', message, { code }),
  });
  const { method = '', url = '', headers } = incoming;
  if (method !== 'POST' || url.split('?')[0] !== '/v1/responses') {
    return refuse(404, `Invalid URL (${method} ${url})`);
  }
  const key = headers.authorization?.replace(/^Bearer /, '') ?? '';
  if (key === '' || (options.apiKey !== undefined && key !== options.apiKey)) {
    return refuse(401, 'Incorrect API key provided.', 'invalid_api_key');
  }
  const read = readRequest(body);
  if (!read.ok) return refuse(400, read.problem);
  const { model } = read.request;
  if (options.models !== undefined && !options.models.includes(model)) {
    return refuse(
      404,
      `The model \`${model}\` does not exist or you do not have access to it.`,
      'model_not_found',
    );
  }
  return { ok: true, request: read.request };
}

function sendError(response: ServerResponse, reply: ErrorReply, id: string): void {
  const { status, headers, type, code, message, more } = reply;
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': `req_${id}`, ...headers });
  response.end(JSON.stringify({ error: { message, type, param: null, code, ...more } }));
}

async function sendResponse(
  response: ServerResponse,
  request: ResponsesRequest,
  reply: ResponseReply,
  newId: () => string,
): Promise<void> {
  const usage: ReplyUsage = {
    input_tokens: Math.ceil(JSON.stringify(request).length / CHARACTERS_PER_TOKEN),
    output_tokens: Math.ceil(JSON.stringify(reply.output).length / CHARACTERS_PER_TOKEN),
    cached_tokens: 0,
    ...reply.usage,
  };
  const about = { id: `resp_${newId()}`, model: request.model, usage, newId };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': `req_${newId()}` });
  response.flushHeaders();
  for (const [index, event] of eventsOf(reply, about).entries()) {
    if (index === reply.fault?.afterEvents) break;
    await reply.beforeEvent?.(index);
    await write(response, sse(event));
  }
  switch (reply.fault?.kind) {
    case 'hang':
      return;
    case 'cut':
      response.destroy();
      return;
    case 'failed':
      response.end(sse(failedEvent(about, reply.fault.code, reply.fault.message)));
      return;
    case undefined:
      response.end();
  }
}

function write(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.write(text, () => {
      resolve();
    });
  });
}
