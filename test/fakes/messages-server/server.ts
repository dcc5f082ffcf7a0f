import type { IncomingMessage, ServerResponse } from 'node:http';
import { startScriptedServer, type ScriptedServer, type ScriptedServerOptions } from '../scripted-server.ts';
import { readRequest, type MessagesRequest } from './protocol.ts';
import { fails, type ErrorReply, type MessageReply, type ReplyUsage, type Script } from './script.ts';
import { eventsOf, sse } from './stream.ts';

/** Roughly what a token is long; only for usage that no script says. */
const CHARACTERS_PER_TOKEN = 4;

/** A Messages API that answers what a script says. */
export type MessagesServer = ScriptedServer<MessagesRequest>;

/**
 * A Messages API: it speaks the API's streaming protocol, refuses what the API refuses, and answers what a script says.
 */
export function startMessagesServer(
  script: Script,
  options: ScriptedServerOptions = {},
): Promise<MessagesServer> {
  return startScriptedServer(
    {
      basePath: '',
      admit: (incoming, body) => admit(incoming, body, options),
      async answer(request: MessagesRequest, number, response, newId) {
        const reply = await script(request, number);
        if (reply.kind === 'error') sendError(response, reply, newId());
        if (reply.kind === 'message') await sendMessage(response, request, reply, newId);
      },
      sendError,
      scriptFailed: (message) => fails(500, 'api_error', message),
    },
    options,
  );
}

type Admission =
  | { readonly ok: true; readonly request: MessagesRequest }
  | { readonly ok: false; readonly reply: ErrorReply };

/** The checks that the API makes before any model is asked, in its order. */
function admit(incoming: IncomingMessage, body: unknown, options: ScriptedServerOptions): Admission {
  const refuse = (status: number, type: string, message: string): Admission => ({
    ok: false,
    reply: fails(status, type, message),
  });
  if (incoming.method !== 'POST' || incoming.url?.split('?')[0] !== '/v1/messages') {
    return refuse(404, 'not_found_error', `Not found: ${incoming.method ?? ''} ${incoming.url ?? ''}`);
  }
  const key = keyOf(incoming);
  if (key === '' || (options.apiKey !== undefined && key !== options.apiKey)) {
    return refuse(401, 'authentication_error', 'invalid API key');
  }
  if (incoming.headers['anthropic-version'] === undefined) {
    return refuse(400, 'invalid_request_error', 'anthropic-version: header is required');
  }
  const read = readRequest(body);
  if (!read.ok) return refuse(400, 'invalid_request_error', read.problem);
  if (options.models !== undefined && !options.models.includes(read.request.model)) {
    return refuse(404, 'not_found_error', `model: ${read.request.model}`);
  }
  return { ok: true, request: read.request };
}

/** The API takes a key in either of two headers. */
function keyOf({ headers }: IncomingMessage): string {
  const own = headers['x-api-key'];
  return typeof own === 'string' ? own : (headers.authorization?.replace(/^Bearer /, '') ?? '');
}

function sendError(response: ServerResponse, reply: ErrorReply, id: string): void {
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'request-id': `req_${id}`,
    ...reply.headers,
  });
  response.end(
    JSON.stringify({
      type: 'error',
      error: { type: reply.type, message: reply.message },
      request_id: `req_${id}`,
    }),
  );
}

async function sendMessage(
  response: ServerResponse,
  request: MessagesRequest,
  reply: MessageReply,
  newId: () => string,
): Promise<void> {
  const usage: ReplyUsage = {
    input_tokens: Math.ceil(JSON.stringify(request).length / CHARACTERS_PER_TOKEN),
    output_tokens: Math.ceil(JSON.stringify(reply.content).length / CHARACTERS_PER_TOKEN),
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    ...reply.usage,
  };
  if (!request.stream) {
    sendWhole(response, request, reply, usage, newId);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${newId()}` });
  response.flushHeaders();
  const events = eventsOf(reply, { id: `msg_${newId()}`, model: request.model, usage, newId });
  for (const [index, event] of events.entries()) {
    if (index === reply.fault?.afterEvents) break;
    await reply.beforeEvent?.(index);
    await write(response, Buffer.from(sse(event)), reply.bytesPerWrite);
  }
  switch (reply.fault?.kind) {
    case 'hang':
      return;
    case 'cut':
      response.destroy();
      return;
    case 'error': {
      const { type, message } = reply.fault;
      response.end(sse({ type: 'error', error: { type, message } }));
      return;
    }
    case 'end':
    case undefined:
      response.end();
  }
}

/** A message that is not streamed: some clients try again so where a stream failed. */
function sendWhole(
  response: ServerResponse,
  request: MessagesRequest,
  { content, stop }: MessageReply,
  usage: ReplyUsage,
  newId: () => string,
): void {
  response.writeHead(200, { 'content-type': 'application/json', 'request-id': `req_${newId()}` });
  response.end(
    JSON.stringify({
      id: `msg_${newId()}`,
      type: 'message',
      role: 'assistant',
      model: request.model,
      content: content.map((block) =>
        block.type === 'tool_use' ? { id: `toolu_${newId()}`, ...block } : block,
      ),
      stop_reason: stop ?? (content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      usage,
    }),
  );
}

async function write(response: ServerResponse, bytes: Buffer, bytesPerWrite = bytes.length): Promise<void> {
  for (let from = 0; from < bytes.length; from += bytesPerWrite) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(from, from + bytesPerWrite), () => {
        resolve();
      });
    });
  }
}
