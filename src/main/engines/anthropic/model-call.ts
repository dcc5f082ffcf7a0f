import Anthropic from '@anthropic-ai/sdk';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { err, ok, type Result } from '../../../shared/kernel/result.ts';
import type { Secret } from '../../../shared/kernel/secret.ts';
import type { EngineFailure } from '../../ports/engine.ts';
import {
  cutOffReply,
  failureOf,
  refusedByModel,
  stoppedCall,
  timedOutCall,
  type CallFacts,
} from './call-failures.ts';
import { replySchema, type Reply } from './conversation.ts';
import { limits } from './limits.ts';
import type { TokenCounts } from './prices.ts';

export interface Access {
  /** The account's name. */
  readonly account: string;
  readonly key: Secret;
  readonly sentAs: 'api_key' | 'bearer';
  readonly baseUrl: string;
}

export interface CallOutcome {
  readonly reply: Result<Reply, EngineFailure>;
  /** What the call used; null where the API never began to answer. Of a reply that was cut off, what is known. */
  readonly tokens: TokenCounts | null;
  readonly durationMs: number;
}

/** Why we ended a call ourselves. */
type Ending = 'stopped' | 'silent' | 'long';

/**
 * One streaming call of a model, bounded in time. A reply counts only when the API has said that it is complete.
 * Never tries again by itself: that is for the host, which can say why and for how long.
 */
export async function callModel(
  request: Anthropic.MessageStreamParams,
  access: Access,
  clock: Clock,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<CallOutcome> {
  const startedAt = clock.now();
  const bounds = boundCall(clock, signal);
  let answered = false;
  const client = new Anthropic({
    apiKey: access.sentAs === 'api_key' ? access.key.expose() : null,
    authToken: access.sentAs === 'bearer' ? access.key.expose() : null,
    baseURL: access.baseUrl,
    maxRetries: 0,
    // Ours ends a call sooner; the SDK's clock cannot be turned by hand.
    timeout: 2 * limits.callMs,
    logLevel: 'off',
    openTelemetry: false,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      answered = response.ok;
      bounds.sawLife();
      return watched(response, bounds.sawLife);
    },
  });

  const stream = client.messages.stream(request, { signal: bounds.signal });
  // The SDK would take what our own listener throws for a broken stream; it is a bug, and stays one.
  const bugs: unknown[] = [];
  stream.on('contentBlock', (block) => {
    try {
      if (block.type === 'text') onText(block.text);
    } catch (bug) {
      bugs.push(bug);
    }
  });
  let reply: Result<Reply, EngineFailure>;
  let usage: Anthropic.Usage | undefined;
  const facts = (): CallFacts => ({
    model: request.model,
    baseUrl: access.baseUrl,
    account: access.account,
    answered,
    now: clock.now(),
  });
  try {
    const message = await stream.finalMessage();
    usage = message.usage;
    reply = readReply(message, facts());
  } catch (thrown) {
    usage = stream.currentMessage?.usage;
    reply = err(failureOfCall(thrown, bounds.ending(), facts()));
  } finally {
    bounds.release();
  }
  if (bugs.length > 0) throw bugs[0];
  return { reply, tokens: usage === undefined ? null : countsOf(usage), durationMs: clock.now() - startedAt };
}

function failureOfCall(thrown: unknown, ending: Ending | null, facts: CallFacts): EngineFailure {
  switch (ending) {
    case 'stopped':
      return stoppedCall(facts.model);
    case 'silent':
      return timedOutCall(facts, 'silent', limits.idleMs);
    case 'long':
      return timedOutCall(facts, 'long', limits.callMs);
    case null:
      return failureOf(thrown, facts);
  }
}

function readReply(message: Anthropic.Message, facts: CallFacts): Result<Reply, EngineFailure> {
  const parsed = replySchema.safeParse({
    kind: 'reply',
    model: facts.model,
    content: message.content,
    stop: message.stop_reason,
  });
  if (!parsed.success) return err(cutOffReply(facts, 'it is not in a form that we know'));
  const { stop } = parsed.data;
  return stop === 'refusal' || stop === 'model_context_window_exceeded'
    ? err(refusedByModel(facts.model, stop))
    : ok(parsed.data);
}

function countsOf(usage: Anthropic.Usage): TokenCounts {
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
  };
}

/** Tells of every piece that arrives, pings too: the SDK keeps those to itself. */
function watched(response: Response, sawLife: () => void): Response {
  const pass = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      sawLife();
      controller.enqueue(piece);
    },
  });
  const body = response.body?.pipeThrough(pass) ?? null;
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly sawLife: () => void;
  /** Why the call was ended from our side; null if it was not. */
  ending(): Ending | null;
  release(): void;
}

/** Ends a call that is stopped, silent for too long, or too long in all. */
function boundCall(clock: Clock, outer: AbortSignal): Bounds {
  const controller = new AbortController();
  let ending: Ending | null = null;
  let lastLife = clock.now();
  const end = (why: Ending): void => {
    ending ??= why;
    controller.abort();
  };
  const stop = (): void => {
    end('stopped');
  };
  outer.addEventListener('abort', stop, { once: true });
  if (outer.aborted) stop();
  const cancelLong = clock.after(limits.callMs, () => {
    end('long');
  });
  let cancelSilent = (): void => undefined;
  const watchSilence = (): void => {
    const leftMs = lastLife + limits.idleMs - clock.now();
    if (leftMs <= 0) end('silent');
    else cancelSilent = clock.after(leftMs, watchSilence);
  };
  watchSilence();
  return {
    signal: controller.signal,
    sawLife: () => {
      lastLife = clock.now();
    },
    ending: () => ending,
    release() {
      outer.removeEventListener('abort', stop);
      cancelLong();
      cancelSilent();
    },
  };
}
