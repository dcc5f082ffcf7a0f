import { z } from 'zod';
import type { Api } from '../route.ts';
import type { CallTokens } from './tokens.ts';

/** What one JSON document of an answer says about its call: a whole answer, or one event of a stream. */
export interface Observation {
  readonly model: string | null;
  /** What it counts, up to and with this event. Absent kinds were not counted here. */
  readonly tokens: Partial<CallTokens> | null;
  readonly error: ObservedError | null;
}

/** An error as an API puts it into a body. */
export interface ObservedError {
  readonly type: string | null;
  readonly message: string;
  /** Seconds since 1970, and from now, at which a used-up limit is there again. */
  readonly resetsAtSeconds: number | null;
  readonly resetsInSeconds: number | null;
}

const count = z.number().nonnegative().nullish();

const errorShape = z.object({
  type: z.string().nullish(),
  code: z.string().nullish().catch(null),
  message: z.string().nullish(),
  resets_at: z.number().nullish().catch(null),
  resets_in_seconds: z.number().nullish().catch(null),
});

/** https://platform.claude.com/docs/en/api/messages: a message, `message_start`, `message_delta`, `error`. */
const anthropicUsage = z
  .object({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
  })
  .nullish();
const anthropicMessage = z.object({ model: z.string().nullish(), usage: anthropicUsage });
const anthropicDocument = anthropicMessage.extend({
  message: anthropicMessage.nullish().catch(null),
  error: errorShape.nullish(),
});

/**
 * https://platform.openai.com/docs/api-reference/responses-streaming: a response, alone or within an event; and
 * https://platform.openai.com/docs/api-reference/chat: a completion or a chunk of one.
 */
const openaiUsage = z
  .object({
    input_tokens: count,
    input_tokens_details: z.object({ cached_tokens: count }).nullish(),
    output_tokens: count,
    prompt_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
    completion_tokens: count,
  })
  .nullish();
const openaiResponse = z.object({
  model: z.string().nullish(),
  usage: openaiUsage,
  error: errorShape.nullish(),
});
const openaiDocument = openaiResponse.extend({ response: openaiResponse.nullish() });
/** An error event of a stream of Responses, which has its fields at the top. */
const openaiErrorEvent = errorShape.omit({ type: true }).extend({ type: z.literal('error') });

/** Reads a document; null where it is none, or not of the API's form. */
export function observe(api: Api, text: string): Observation | null {
  const document = parsed(text);
  return api === 'anthropic' ? observeAnthropic(document) : observeOpenai(document);
}

function observeAnthropic(document: unknown): Observation | null {
  const read = anthropicDocument.safeParse(document);
  if (!read.success) return null;
  const { message, error } = read.data;
  const usage = read.data.usage ?? message?.usage ?? null;
  return {
    model: read.data.model ?? message?.model ?? null,
    tokens: usage && {
      ...counted('input', usage.input_tokens),
      ...counted('output', usage.output_tokens),
      ...counted('cacheRead', usage.cache_read_input_tokens),
      ...counted('cacheWrite', usage.cache_creation_input_tokens),
    },
    error: error ? observedError(error, error.type) : null,
  };
}

function observeOpenai(document: unknown): Observation | null {
  const read = openaiDocument.safeParse(document);
  if (!read.success) return null;
  const { response } = read.data;
  const usage = read.data.usage ?? response?.usage ?? null;
  const flat = openaiErrorEvent.safeParse(document);
  const error = flat.success ? { ...flat.data, type: null } : (read.data.error ?? response?.error ?? null);
  return {
    model: read.data.model ?? response?.model ?? null,
    tokens: usage && openaiTokens(usage),
    // The code is the more precise of the two: `type` may say no more than `tokens` or `invalid_request_error`.
    error: error && observedError(error, error.code ?? error.type),
  };
}

function openaiTokens(usage: NonNullable<z.infer<typeof openaiUsage>>): Partial<CallTokens> {
  const prompt = usage.input_tokens ?? usage.prompt_tokens;
  const details = usage.input_tokens_details ?? usage.prompt_tokens_details;
  const cacheRead = details?.cached_tokens ?? 0;
  return {
    // OpenAI counts what came from the cache among the input.
    ...counted('input', prompt === null || prompt === undefined ? null : Math.max(0, prompt - cacheRead)),
    ...counted('output', usage.output_tokens ?? usage.completion_tokens),
    cacheRead,
  };
}

function counted(kind: keyof CallTokens, tokens: number | null | undefined): Partial<CallTokens> {
  return tokens === null || tokens === undefined ? {} : { [kind]: tokens };
}

function observedError(error: z.infer<typeof errorShape>, type: string | null | undefined): ObservedError {
  return {
    type: type ?? null,
    message: error.message ?? 'It gave no reason.',
    resetsAtSeconds: error.resets_at ?? null,
    resetsInSeconds: error.resets_in_seconds ?? null,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
