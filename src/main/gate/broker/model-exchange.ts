import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { GateGrant, Upstream, UpstreamRefusal } from '../../ports/turn-gate.ts';
import type { RefusalReason } from '../gate-event.ts';
import type { GateLimits } from '../limits.ts';
import type { Api, Route } from '../route.ts';
import { sendError, type OwnError } from '../turn-away.ts';
import { conceal } from './conceal.ts';
import { headersForClient, headersForUpstream, isSetUpToken } from './headers.ts';
import { meterFor } from './meter.ts';
import type { Reading } from './meter.ts';
import { overBudget, redirected, tooLarge, unreached } from './own-errors.ts';
import { readAlong } from './read-along.ts';
import type { CallTokens } from './tokens.ts';
import { answerTo, causeOf } from './upstream-connection.ts';
import type { UpstreamConnections } from './upstream-connection.ts';
import { refusalOf, refusalWithin, unreachable } from './upstream-refusal.ts';

/** Most bytes of an error's body that are read and passed on. */
const MAX_ERROR_BYTES = 262_144;

/** What all exchanges share. */
export interface Broker {
  readonly clock: Clock;
  readonly limits: GateLimits;
  readonly connections: UpstreamConnections;
  /** What a call cost in US dollars; null where the model's price is not known. */
  usdOf(api: Api, model: string, tokens: CallTokens): number | null;
}

/** What one exchange is told, and tells. */
export interface ExchangeFacts {
  readonly route: Extract<Route, { kind: 'model_api' }>;
  readonly upstream: Upstream;
  readonly grant: Pick<GateGrant, 'beforeCall' | 'recordCall'>;
  /** Told of what upstream refused a call that a model should have answered. */
  refusedByUpstream(refusal: UpstreamRefusal): void;
  /** Told of what the gate refused by itself. */
  refusedHere(reason: RefusalReason, message: string): void;
  /** Told of an answer whose tokens could not be read. */
  uncounted(model: string): void;
}

/** One request to a model's API, and its answer: streamed both ways, no faster than the slower side takes it. */
export class ModelExchange {
  readonly #broker: Broker;
  readonly #facts: ExchangeFacts;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #startedAt: number;
  /** Why it ended early: the first reason, which brings the others about. */
  #endedBy: 'client' | 'turn' | 'too_large' | 'upstream' | null = null;
  /** What the connection to upstream ended with. */
  #problem: Error | null = null;

  public constructor(
    broker: Broker,
    facts: ExchangeFacts,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    this.#broker = broker;
    this.#facts = facts;
    this.#request = request;
    this.#response = response;
    this.#startedAt = broker.clock.now();
  }

  /** Resolves when both sides are done with it and it is recorded; an abort of the signal cuts both off. */
  public async carry(signal: AbortSignal): Promise<void> {
    const { route, upstream, grant } = this.#facts;
    const { limits, connections } = this.#broker;
    const permit = route.generates ? grant.beforeCall() : null;
    if (permit?.kind === 'refused') {
      this.#refuse('budget', overBudget(permit.limit));
      return;
    }
    if (Number(this.#request.headers['content-length'] ?? 0) > limits.modelRequestBytes) {
      this.#refuse('too_large', tooLarge(limits.modelRequestBytes));
      return;
    }
    const outgoing = connections.begin({
      method: this.#request.method ?? 'GET',
      base: new URL(upstream.baseUrl),
      path: route.path,
      headers: headersForUpstream(this.#request.headers, upstream),
      silenceMs: limits.silenceMs,
    });
    const cut = (): void => {
      this.#endedBy ??= 'turn';
      outgoing.destroy();
      this.#response.destroy();
    };
    const left = (): void => {
      if (this.#response.writableFinished) return;
      this.#endedBy ??= 'client';
      outgoing.destroy();
    };
    signal.addEventListener('abort', cut);
    this.#response.once('close', left);
    outgoing.once('error', (error) => {
      this.#problem = error;
    });
    const answer = answerTo(outgoing);
    this.#sendBody(outgoing);
    await this.#passOn(await answer);
    signal.removeEventListener('abort', cut);
    this.#response.off('close', left);
  }

  #sendBody(outgoing: ClientRequest): void {
    let bytes = 0;
    this.#request.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes <= this.#broker.limits.modelRequestBytes) return;
      this.#endedBy ??= 'too_large';
      this.#request.unpipe(outgoing);
      outgoing.destroy();
    });
    this.#request.pipe(outgoing);
  }

  async #passOn(answer: IncomingMessage | null): Promise<void> {
    if (answer === null) {
      this.#endEarly();
      return;
    }
    const { statusCode: status = 0 } = answer;
    if (status >= 400) await this.#passError(answer, status);
    else if (status >= 300) this.#refuseRedirect(answer, status);
    else await this.#passSuccess(answer, status);
  }

  async #passSuccess(answer: IncomingMessage, status: number): Promise<void> {
    const { upstream, route } = this.#facts;
    const meter = meterFor(upstream.api, answer.headers['content-type']);
    this.#response.writeHead(status, headersForClient(answer.headers, upstream.key));
    this.#response.flushHeaders();
    answer.once('error', (error) => {
      this.#endedBy ??= 'upstream';
      this.#problem ??= error;
    });
    // Before the meter, so that bytes go on first and are counted then.
    const passed = pipeline(answer, this.#response).then(
      () => false,
      () => true,
    );
    const read = readAlong(answer, (chunk) => {
      meter.take(chunk);
    });
    const broken = await passed;
    await read;
    if (route.generates) this.#record(meter.finish(), status);
    if (broken) this.#endEarly();
  }

  /** An error is short, and might repeat the key. */
  async #passError(answer: IncomingMessage, status: number): Promise<void> {
    const { upstream, route } = this.#facts;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    await readAlong(answer, (chunk) => {
      if (bytes < MAX_ERROR_BYTES) chunks.push(chunk.subarray(0, MAX_ERROR_BYTES - bytes));
      bytes += chunk.length;
    });
    const body = conceal(Buffer.concat(chunks).toString('utf8'), upstream.key);
    if (route.generates) {
      const { headers } = answer;
      this.#facts.refusedByUpstream(
        refusalOf(upstream.api, { status, headers, body }, this.#broker.clock.now()),
      );
    }
    const headers = headersForClient(answer.headers, upstream.key);
    delete headers['content-encoding'];
    this.#response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    this.#response.end(body);
  }

  #refuseRedirect(answer: IncomingMessage, status: number): void {
    const { upstream, route } = this.#facts;
    answer.destroy();
    const error = redirected(upstream.baseUrl, conceal(answer.headers.location ?? 'nowhere', upstream.key));
    if (route.generates) {
      this.#facts.refusedByUpstream({ ...unreachable(error.message), status, type: 'redirect' });
    }
    this.#refuse('redirect', error);
  }

  #record(reading: Reading, status: number): void {
    const { grant, upstream } = this.#facts;
    const now = this.#broker.clock.now();
    for (const error of reading.errors) {
      const shown = { ...error, message: conceal(error.message, upstream.key) };
      this.#facts.refusedByUpstream(refusalWithin(shown, status, now));
    }
    const model = reading.model ?? 'unknown';
    const { tokens, counted } = reading;
    if (!counted) {
      // An answer that is nothing but an error has used no tokens.
      if (reading.errors.length > 0) return;
      this.#facts.uncounted(model);
    }
    grant.recordCall({
      model,
      inputTokens: tokens.input,
      outputTokens: tokens.output,
      cacheReadTokens: tokens.cacheRead,
      cacheWriteTokens: tokens.cacheWrite,
      usd: counted && !isSetUpToken(upstream) ? this.#broker.usdOf(upstream.api, model, tokens) : null,
      durationMs: now - this.#startedAt,
    });
  }

  #endEarly(): void {
    if (this.#endedBy === 'too_large') {
      this.#refuse('too_large', tooLarge(this.#broker.limits.modelRequestBytes));
      return;
    }
    // There is nobody left to tell.
    if (this.#endedBy === 'client' || this.#endedBy === 'turn') return;
    const { upstream, route } = this.#facts;
    const cause = this.#problem === null ? 'it ended too soon' : causeOf(this.#problem);
    const error = unreached(upstream.baseUrl, cause, this.#response.headersSent);
    if (route.generates) this.#facts.refusedByUpstream(unreachable(error.message));
    sendError(this.#response, upstream.api, error);
  }

  #refuse(reason: RefusalReason, error: OwnError): void {
    this.#facts.refusedHere(reason, error.message);
    sendError(this.#response, this.#facts.upstream.api, error);
  }
}
