import type { Clock } from '../../../shared/kernel/clock.ts';
import { parseJson } from '../../../shared/kernel/json.ts';
import { err, messageOf, ok, type Result } from '../../../shared/kernel/result.ts';
import { clipped, firstLine } from '../../../shared/kernel/text.ts';
import type { ModelCall } from '../../ports/engine.ts';
import type {
  ArbiterQuestion,
  Consultation,
  ReferenceModel,
  ReferenceModels,
} from '../../ports/reference-models.ts';
import type { TokenCounts } from '../anthropic/prices.ts';
import { endpoints, errorIn, type Answer } from './endpoint.ts';
import { limits } from './limits.ts';
import { opinionBlock } from './opinion-block.ts';

const MS_PER_SECOND = 1_000;

/** What asking takes. */
export interface ReferenceModelsOptions {
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** What a call cost in US dollars; null where the model's price is not known. */
  readonly usdOf: (api: ReferenceModel['api'], model: string, tokens: TokenCounts) => number | null;
}

/** Asks models over HTTP. No question is asked twice: an arbiter judges without those that do not answer. */
export function createReferenceModels(options: ReferenceModelsOptions): ReferenceModels {
  return {
    async ask(models, question, signal) {
      const asked = models.map((model) => askOne(model, question, options, signal));
      return consultation(models, await Promise.all(asked));
    },
  };
}

/** What became of one question. */
interface Asked {
  readonly said: Result<string>;
  readonly call: ModelCall | null;
}

function consultation(models: readonly ReferenceModel[], asked: readonly Asked[]): Consultation {
  const outcomes = models.flatMap(({ name }, index) => {
    const said = asked[index]?.said;
    return said === undefined ? [] : [{ name, said }];
  });
  const opinions = outcomes
    .flatMap(({ name, said }) => (said.ok ? [{ name, text: said.value }] : []))
    .map((opinion, index) => ({ number: index + 1, ...opinion }));
  return {
    opinions,
    failures: outcomes.flatMap(({ name, said }) => (said.ok ? [] : [{ name, reason: said.failure.message }])),
    calls: asked.flatMap(({ call }) => (call === null ? [] : [call])),
    block: opinionBlock(opinions),
  };
}

async function askOne(
  model: ReferenceModel,
  question: ArbiterQuestion,
  options: ReferenceModelsOptions,
  signal: AbortSignal,
): Promise<Asked> {
  const { clock } = options;
  const startedAt = clock.now();
  const late = new AbortController();
  const cancelTimer = clock.after(limits.callMs, () => {
    late.abort();
  });
  try {
    const answer = await send(model, question, options.fetch, AbortSignal.any([late.signal, signal]));
    if (!answer.ok) return { said: answer, call: null };
    const durationMs = Math.max(0, clock.now() - startedAt);
    return {
      said: opinionIn(answer.value),
      call: callOf(model, answer.value.tokens, durationMs, options),
    };
  } catch (thrown) {
    if (late.signal.aborted)
      return noOpinion(`did not answer within ${limits.callMs / MS_PER_SECOND} seconds`);
    if (signal.aborted) return noOpinion('was stopped');
    // `fetch` rejects with a TypeError for what networks do.
    if (!(thrown instanceof TypeError)) throw thrown;
    return noOpinion(`could not be reached: ${messageOf(thrown.cause ?? thrown)}`);
  } finally {
    cancelTimer();
  }
}

function noOpinion(reason: string): Asked {
  return { said: refused(reason), call: null };
}

function refused(message: string): Result<never> {
  return err({ tag: 'no_opinion', message });
}

async function send(
  { api, model, baseUrl, key }: ReferenceModel,
  question: ArbiterQuestion,
  fetchIt: typeof fetch,
  signal: AbortSignal,
): Promise<Result<Answer>> {
  const endpoint = endpoints[api];
  const response = await fetchIt(`${baseUrl}${endpoint.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...endpoint.headers(key.expose()) },
    body: JSON.stringify(endpoint.body(model, question)),
    // The key is for this address alone.
    redirect: 'error',
    signal,
  });
  const body = await textOf(response);
  if (body === null) return refused('answered more than can be read');
  const said = parseJson(body);
  if (!response.ok) {
    const words = errorIn(said) ?? firstLine(body, limits.quotedCharacters);
    const reason = words === '' ? '' : `: ${clipped(words, limits.quotedCharacters)}`;
    return refused(`refused with ${response.status}${reason}`);
  }
  const answer = endpoint.read(said);
  return answer === null ? refused('answered something that is not its API') : ok(answer);
}

/** A model that thinks may use all its tokens on that. */
function opinionIn({ text, cutOff }: Answer): Result<string> {
  const said = text.trim();
  if (said === '') return refused(cutOff ? 'used all its tokens before it said anything' : 'said nothing');
  const opinion = clipped(said, limits.opinionCharacters);
  return ok(cutOff ? `${opinion}\n[It was cut off here.]` : opinion);
}

function callOf(
  { api, model }: ReferenceModel,
  tokens: TokenCounts,
  durationMs: number,
  { usdOf }: ReferenceModelsOptions,
): ModelCall {
  return {
    model,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: tokens.cacheWrite,
    usd: usdOf(api, model, tokens),
    durationMs,
  };
}

/** Null where it is more than we read. */
async function textOf({ body }: { readonly body: AsyncIterable<Uint8Array> | null }): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  if (body === null) return text;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limits.answerBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
