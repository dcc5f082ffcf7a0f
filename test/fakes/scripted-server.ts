import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** What every fake of a model API can be told. */
export interface ScriptedServerOptions {
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

/** A model API on a loopback socket. */
export interface ScriptedServer<Request> {
  /** `http://127.0.0.1:<port>`, with what the API's clients have in their base URL. */
  readonly url: string;
  /** The well-formed requests, in the order in which they came. */
  readonly requests: readonly Request[];
  /** What the real API would have refused too: a test of an engine wants none. */
  readonly refusals: readonly Refusal[];
  /** Resolves when so many well-formed requests have come. */
  received(count: number): Promise<void>;
  /** Ends all connections, those that hang too. */
  close(): Promise<void>;
}

/** How one API is spoken. */
export interface ScriptedApi<Request, ErrorReply> {
  /** What follows host and port in the base URL. */
  readonly basePath: string;
  /** The checks that the API makes before any model is asked, in its order. */
  admit(
    incoming: IncomingMessage,
    body: unknown,
  ): { readonly ok: true; readonly request: Request } | { readonly ok: false; readonly reply: ErrorReply };
  /** Says what the script says to the request with this number, from 1. */
  answer(request: Request, number: number, response: ServerResponse, newId: () => string): Promise<void>;
  sendError(response: ServerResponse, reply: ErrorReply, id: string): void;
  /** A script that throws is a broken test: the client hears of it in the API's form. */
  scriptFailed(message: string): ErrorReply;
}

/** Starts it; whoever does closes it. */
export async function startScriptedServer<
  Request,
  ErrorReply extends { readonly status: number; readonly message: string },
>(api: ScriptedApi<Request, ErrorReply>, options: ScriptedServerOptions): Promise<ScriptedServer<Request>> {
  const requests: Request[] = [];
  const refusals: Refusal[] = [];
  const waiting: { readonly count: number; readonly tell: () => void }[] = [];
  const newId = options.newId ?? ((): string => randomUUID().replaceAll('-', ''));

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const admitted = api.admit(incoming, await bodyOf(incoming));
    if (!admitted.ok) {
      refusals.push({ status: admitted.reply.status, problem: admitted.reply.message });
      api.sendError(response, admitted.reply, newId());
      return;
    }
    const number = requests.push(admitted.request);
    for (const { count, tell } of waiting) if (count <= number) tell();
    await api.answer(admitted.request, number, response, newId);
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((thrown: unknown) => {
      const message = `The script failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
      if (response.headersSent) response.destroy();
      else api.sendError(response, api.scriptFailed(message), newId());
    });
  });
  const port = await listen(server, options.port ?? 0);

  return {
    url: `http://127.0.0.1:${port}${api.basePath}`,
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
