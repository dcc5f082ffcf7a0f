import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { RefusalReason } from '../gate-event.ts';
import { sendError } from '../turn-away.ts';
import type { OwnError } from '../turn-away.ts';
import { createToolServer } from './tool-server.ts';
import type { ToolServerOptions } from './tool-server.ts';

/** A turn has one program, which connects once, and again where it lost its connection. */
const MAX_SESSIONS = 32;

/** What a turn serves over MCP. */
export interface ToolSessionsOptions extends ToolServerOptions {
  /** Most bytes of a message. */
  readonly maxBytes: number;
}

interface Session {
  readonly server: McpServer;
  readonly transport: StreamableHTTPServerTransport;
}

const requestIds = z
  .union([z.array(z.unknown()), z.unknown().transform((one) => [one])])
  .transform((messages) =>
    messages.flatMap((one) => {
      const request = z.object({ method: z.string(), id: z.union([z.string(), z.number()]) }).safeParse(one);
      return request.success ? [request.data.id] : [];
    }),
  );

/**
 * Serves a turn's tools over MCP's streamable HTTP. A call ends with the connection that carries it: a client that
 * hangs up gets no answer any more, so its tool is told to stop.
 */
export class ToolSessions {
  readonly #options: ToolSessionsOptions;
  readonly #sessions = new Map<string, Session>();

  public constructor(options: ToolSessionsOptions) {
    this.#options = options;
  }

  /** Resolves when the answer has been handed over; the answer itself may stay open as long as a call runs. */
  public async handle(
    request: IncomingMessage,
    response: ServerResponse,
    refusedHere: (reason: RefusalReason, message: string) => void,
  ): Promise<void> {
    const refuse = ({ reason, error }: Refused): void => {
      if (reason !== null) refusedHere(reason, error.message);
      sendError(response, 'mcp', error);
    };
    if (request.method === 'POST') await this.#post(request, response, refuse);
    else if (request.method === 'DELETE') await this.#delete(request, response, refuse);
    else {
      // The protocol's way to say that a server has nothing to tell unasked.
      response.setHeader('allow', 'POST, DELETE');
      sendError(response, 'mcp', onlyPost);
    }
  }

  /** Ends all sessions; the signals of calls that still run are aborted. */
  public async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(({ server }) => server.close()));
  }

  async #delete(
    request: IncomingMessage,
    response: ServerResponse,
    refuse: (refused: Refused) => void,
  ): Promise<void> {
    const session = this.#sessionOf(request);
    if (session === undefined) refuse(unknownSession);
    else await session.transport.handleRequest(request, response);
  }

  async #post(
    request: IncomingMessage,
    response: ServerResponse,
    refuse: (refused: Refused) => void,
  ): Promise<void> {
    const body = await this.#bodyOf(request);
    if ('reason' in body) {
      refuse(body);
      return;
    }
    const session = await this.#sessionFor(request, body.value);
    if ('reason' in session) {
      refuse(session);
      return;
    }
    const { transport } = session;
    const ids = requestIds.parse(body.value);
    response.once('close', () => {
      if (response.writableFinished) return;
      for (const requestId of ids) {
        const params = { requestId, reason: 'The connection was closed.' };
        transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
      }
    });
    await transport.handleRequest(request, response, body.value);
  }

  async #sessionFor(request: IncomingMessage, body: unknown): Promise<Session | Refused> {
    if (request.headers['mcp-session-id'] !== undefined) return this.#sessionOf(request) ?? unknownSession;
    if (!isInitializeRequest(body)) return notInitialized;
    return this.#sessions.size < MAX_SESSIONS ? this.#open() : tooManySessions;
  }

  #sessionOf(request: IncomingMessage): Session | undefined {
    return this.#sessions.get(String(request.headers['mcp-session-id']));
  }

  async #open(): Promise<Session> {
    const id = randomUUID();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: this.#options.maxBytes,
    });
    const session = { server: createToolServer(this.#options), transport };
    this.#sessions.set(id, session);
    session.server.server.onclose = () => {
      this.#sessions.delete(id);
    };
    await session.server.connect(transport);
    return session;
  }

  async #bodyOf(request: IncomingMessage): Promise<{ readonly value: unknown } | Refused> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes <= this.#options.maxBytes) chunks.push(chunk);
      }
    } catch {
      return cutOff;
    }
    if (bytes > this.#options.maxBytes) return tooLarge;
    try {
      return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
    } catch {
      return notJson;
    }
  }
}

interface Refused {
  /** Null for what clients do when they feel their way through versions of the protocol: no one has to hear of it. */
  readonly reason: RefusalReason | null;
  readonly error: OwnError;
}

function refused(status: number, message: string, reason: RefusalReason | null = null): Refused {
  return { reason, error: { status, type: 'invalid_request_error', message } };
}

const cutOff = refused(400, 'The message was cut off.');
const notJson = refused(400, 'The message is not JSON.', 'malformed');
const tooLarge = refused(413, 'The message is too large. Send less at once.', 'too_large');
const unknownSession = refused(404, 'There is no such session. Initialize a new one.');
const notInitialized = refused(
  400,
  'The message belongs to no session. Send `initialize` first, and its session id with each message.',
);
const tooManySessions = refused(
  400,
  `The turn has ${MAX_SESSIONS} sessions open. End one with DELETE first.`,
  'malformed',
);
const onlyPost: OwnError = {
  status: 405,
  type: 'invalid_request_error',
  message: 'Only POST and DELETE are answered: the server sends nothing unasked.',
};
