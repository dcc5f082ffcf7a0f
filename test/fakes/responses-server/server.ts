import type { IncomingMessage, ServerResponse } from 'node:http';
import { startScriptedServer, type ScriptedServer, type ScriptedServerOptions } from '../scripted-server.ts';
import { readRequest, type ResponsesRequest } from './protocol.ts';
import { fails, type ErrorReply, type ReplyUsage, type ResponseReply, type Script } from './script.ts';
import { eventsOf, failedEvent, sse } from './stream.ts';

/** Roughly what a token is long; only for usage that no script says. */
const CHARACTERS_PER_TOKEN = 4;

/** A Responses API that answers what a script says. */
export type ResponsesServer = ScriptedServer<ResponsesRequest>;

/**
 * A Responses API: it speaks the API's streaming protocol, refuses what the API refuses, and answers what a script says.
 */
export function startResponsesServer(
  script: Script,
  options: ScriptedServerOptions = {},
): Promise<ResponsesServer> {
  return startScriptedServer(
    {
      basePath: '/v1',
      admit: (incoming, body) => admit(incoming, body, options),
      async answer(request: ResponsesRequest, number, response, newId) {
        const reply = await script(request, number);
        if (reply.kind === 'error') sendError(response, reply, newId());
        if (reply.kind === 'response') await sendResponse(response, request, reply, newId);
      },
      sendError,
      scriptFailed: (message) => fails(500, 'server_error', message),
    },
    options,
  );
}

type Admission =
  | { readonly ok: true; readonly request: ResponsesRequest }
  | { readonly ok: false; readonly reply: ErrorReply };

/** The checks that the API makes before any model is asked, in its order. */
function admit(incoming: IncomingMessage, body: unknown, options: ScriptedServerOptions): Admission {
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
