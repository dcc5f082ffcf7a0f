import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../shared/kernel/clock.ts';
import { messageOf, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { clipped } from '../../shared/kernel/text.ts';
import type { GateGrant, OpenGate, TurnGates } from '../ports/turn-gate.ts';
import type { Broker } from './broker/model-exchange.ts';
import type { CallTokens } from './broker/tokens.ts';
import { UpstreamConnections } from './broker/upstream-connection.ts';
import { Gate } from './gate.ts';
import type { RefusedHere } from './gate.ts';
import type { GateEvent, RefusalReason } from './gate-event.ts';
import { defaultLimits } from './limits.ts';
import type { GateLimits } from './limits.ts';
import { openListeners } from './listeners.ts';
import type { GateFailure, SystemUser } from './listeners.ts';
import { routeOf } from './route.ts';
import type { Api, Route } from './route.ts';
import type { ToolSessions } from './mcp/tool-sessions.ts';
import { digestOf, presentedToken } from './token.ts';
import { sendError } from './turn-away.ts';
import type { ErrorForm, OwnError } from './turn-away.ts';

const MAX_PATH_CHARACTERS = 200;

/** What all gates of a host share. */
export interface TurnGatesOptions {
  /** Where the Unix socket is: made where it is missing, and closed to other users. */
  readonly directory: string;
  /** Who connects to the socket, where that is not the host's own user; only a host that is root can have one. */
  readonly agentUser: SystemUser | null;
  readonly clock: Clock;
  /** What a call cost in US dollars; null where the model's price is not known. */
  readonly usdOf: (api: Api, model: string, tokens: CallTokens) => number | null;
  /** Told of what the gates turn away by themselves: nothing of it says a token or a key. */
  readonly onEvent: (event: GateEvent) => void;
  readonly limits?: Partial<GateLimits>;
}

/** All turns' gates, and the server that they share. */
export interface OpenTurnGates extends TurnGates {
  readonly localUrl: string;
  readonly socketPath: string;
  /** Shuts the gates that are open, and ends the server. */
  close(): Promise<void>;
}

/** Opens the server behind which each turn gets a gate of its own. */
export async function openTurnGates(options: TurnGatesOptions): Promise<Result<OpenTurnGates, GateFailure>> {
  const server = new GateServer(options);
  const listeners = await openListeners({
    directory: options.directory,
    agentUser: options.agentUser,
    limits: server.limits,
    overSocket: (request, response) => {
      server.answer('socket', null, request, response);
    },
    overLoopback: (request, response) => {
      server.answer('loopback', request.socket.localPort ?? null, request, response);
    },
  });
  if (!listeners.ok) return listeners;
  const { socketPath, port } = listeners.value;
  const localUrl = `http://127.0.0.1:${port}`;
  return ok({
    localUrl,
    socketPath,
    open: (grant) => server.open(grant, { localUrl, socketPath }),
    close: async () => {
      await server.close();
      await listeners.value.close();
    },
  });
}

type WayIn = Extract<GateEvent, { type: 'refused' }>['over'];

class GateServer {
  public readonly limits: GateLimits;
  readonly #options: TurnGatesOptions;
  readonly #broker: Broker & { readonly connections: UpstreamConnections };
  readonly #gates = new Set<Gate>();

  public constructor(options: TurnGatesOptions) {
    this.#options = options;
    this.limits = { ...defaultLimits, ...options.limits };
    this.#broker = {
      clock: options.clock,
      limits: this.limits,
      connections: new UpstreamConnections(),
      usdOf: options.usdOf,
    };
  }

  public async open(
    grant: GateGrant,
    at: { readonly localUrl: string; readonly socketPath: string },
  ): Promise<OpenGate> {
    const gate: Gate = new Gate({
      ...at,
      grant,
      broker: this.#broker,
      tools: await this.#toolsOf(grant),
      uncounted: (model) => {
        this.#options.onEvent({
          type: 'uncounted',
          model,
          message: `An answer of ${model} said nothing of its tokens, so they are missing in the task's budget.`,
        });
      },
      onShut: () => {
        this.#gates.delete(gate);
      },
    });
    this.#gates.add(gate);
    return gate;
  }

  /** MCP's library takes a while to load, and most hosts start without needing it. */
  async #toolsOf({ tools }: GateGrant): Promise<ToolSessions | null> {
    if (tools.length === 0) return null;
    const { ToolSessions } = await import('./mcp/tool-sessions.ts');
    return new ToolSessions({
      tools,
      clock: this.#options.clock,
      maxBytes: this.limits.toolRequestBytes,
      onDefect: (message) => {
        this.#options.onEvent({ type: 'defect', message });
      },
    });
  }

  public answer(over: WayIn, port: number | null, request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = request;
    const route = routeOf(method, url);
    const refusedHere: RefusedHere = (reason, message) => {
      const path = clipped(url.split('?')[0] ?? '', MAX_PATH_CHARACTERS);
      this.#options.onEvent({ type: 'refused', reason, over, method, path, message });
    };
    const turnAway = (reason: RefusalReason, error: OwnError): void => {
      refusedHere(reason, error.message);
      sendError(response, formOf(route), error);
    };
    if (request.headers.origin !== undefined || (port !== null && !isOwnHost(request, port))) {
      turnAway('foreign_origin', foreignOrigin);
      return;
    }
    const gate = this.#gateFor(request);
    if (gate === null) turnAway('wrong_token', wrongToken);
    else if (route.kind === 'closed' || !gate.leadsTo(route)) turnAway('closed_path', closedPath);
    else {
      gate.carry(route, request, response, refusedHere).catch((thrown: unknown) => {
        // A bug of ours: it ends this request, not the host, and is not hidden.
        const message = `A defect in Tribune: ${messageOf(thrown)}`;
        this.#options.onEvent({ type: 'defect', message });
        sendError(response, formOf(route), { status: 500, type: 'api_error', message });
      });
    }
  }

  public async close(): Promise<void> {
    await Promise.all([...this.#gates].map((gate) => gate.close()));
    this.#broker.connections.close();
  }

  /** Compares with every gate's token, so that the time says nothing of which came close. */
  #gateFor(request: IncomingMessage): Gate | null {
    const token = presentedToken(request.headers);
    if (token === null) return null;
    const digest = digestOf(token);
    return [...this.#gates].filter((gate) => gate.opensFor(digest))[0] ?? null;
  }
}

function formOf(route: Route): ErrorForm {
  if (route.kind === 'tools') return 'mcp';
  return route.api ?? 'openai';
}

/** A web page can make a browser connect to the loopback under a name of its own, and then names that. */
function isOwnHost({ headers }: IncomingMessage, port: number): boolean {
  return headers.host === `127.0.0.1:${port}` || headers.host === `localhost:${port}`;
}

const foreignOrigin: OwnError = {
  status: 403,
  type: 'permission_error',
  message: 'Only programs of agents are answered here, under the address that they were given.',
};
const wrongToken: OwnError = {
  status: 401,
  type: 'authentication_error',
  message: 'The token is not that of a turn that is running. A turn that has ended can do nothing more here.',
};
const closedPath: OwnError = {
  status: 404,
  type: 'not_found_error',
  message: 'The turn may not go there: only to the models and the tools that it was given.',
};
