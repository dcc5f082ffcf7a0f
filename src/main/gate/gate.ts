import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GateGrant, OpenGate, UpstreamRefusal } from '../ports/turn-gate.ts';
import { ModelExchange } from './broker/model-exchange.ts';
import type { Broker } from './broker/model-exchange.ts';
import type { RefusalReason } from './gate-event.ts';
import type { ToolSessions } from './mcp/tool-sessions.ts';
import type { Route } from './route.ts';
import { digestOf, isSameToken, newToken } from './token.ts';
import type { TokenDigest } from './token.ts';

/** Refusals that are kept: a failure is judged by the last ones. */
const MAX_REFUSALS = 100;

/** What a gate has from the server that it belongs to. */
export interface GateParts {
  readonly grant: GateGrant;
  readonly broker: Broker;
  readonly localUrl: string;
  readonly socketPath: string;
  /** Null where the grant has no tools. */
  readonly tools: ToolSessions | null;
  readonly uncounted: (model: string) => void;
  /** The gate has been shut: its token opens nothing from here on. */
  readonly onShut: () => void;
}

/** Tells of a request that was refused here. */
export type RefusedHere = (reason: RefusalReason, message: string) => void;

/** One turn's gate. */
export class Gate implements OpenGate {
  public readonly token = newToken();
  public readonly localUrl: string;
  public readonly socketPath: string;
  readonly #parts: GateParts;
  readonly #digest: TokenDigest = digestOf(this.token);
  readonly #refusals: UpstreamRefusal[] = [];
  readonly #shut = new AbortController();
  readonly #exchanges = new Set<Promise<void>>();

  public constructor(parts: GateParts) {
    this.#parts = parts;
    this.localUrl = parts.localUrl;
    this.socketPath = parts.socketPath;
  }

  public opensFor(digest: TokenDigest): boolean {
    return isSameToken(this.#digest, digest);
  }

  /** Whether the turn may go there. */
  public leadsTo(route: Route): boolean {
    if (route.kind === 'tools') return this.#parts.tools !== null;
    return route.kind === 'model_api' && route.api === this.#parts.grant.upstream?.api;
  }

  /** Carries a request to where the turn may go. Resolves when it is over and recorded. */
  public async carry(
    route: Exclude<Route, { kind: 'closed' }>,
    request: IncomingMessage,
    response: ServerResponse,
    refusedHere: RefusedHere,
  ): Promise<void> {
    const exchange =
      route.kind === 'tools'
        ? this.#callTools(request, response, refusedHere)
        : this.#askModel(route, request, response, refusedHere);
    this.#exchanges.add(exchange);
    try {
      await exchange;
    } finally {
      this.#exchanges.delete(exchange);
    }
  }

  public refusals(): readonly UpstreamRefusal[] {
    return [...this.#refusals];
  }

  public async close(): Promise<void> {
    this.#parts.onShut();
    this.#shut.abort();
    await this.#parts.tools?.close();
    // What they counted is recorded when this resolves; what failed in them was told where they were carried.
    await Promise.allSettled(this.#exchanges);
  }

  async #askModel(
    route: Extract<Route, { kind: 'model_api' }>,
    request: IncomingMessage,
    response: ServerResponse,
    refusedHere: RefusedHere,
  ): Promise<void> {
    const { grant, broker, uncounted } = this.#parts;
    if (grant.upstream === null) throw new Error('A gate without an upstream was asked for a model.');
    const facts = {
      route,
      upstream: grant.upstream,
      grant,
      refusedHere,
      uncounted,
      refusedByUpstream: (refusal: UpstreamRefusal) => {
        this.#refusals.push(refusal);
        if (this.#refusals.length > MAX_REFUSALS) this.#refusals.shift();
      },
    };
    await new ModelExchange(broker, facts, request, response).carry(this.#shut.signal);
  }

  async #callTools(
    request: IncomingMessage,
    response: ServerResponse,
    refusedHere: RefusedHere,
  ): Promise<void> {
    const cut = (): void => {
      response.destroy();
    };
    this.#shut.signal.addEventListener('abort', cut);
    const over = new Promise<void>((resolve) => {
      response.once('close', resolve);
    });
    await this.#parts.tools?.handle(request, response, refusedHere);
    await over;
    this.#shut.signal.removeEventListener('abort', cut);
  }
}
