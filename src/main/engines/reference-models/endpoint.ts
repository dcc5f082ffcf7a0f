import { z } from 'zod';
import type { ArbiterQuestion, ReferenceModel } from '../../ports/reference-models.ts';
import type { TokenCounts } from '../anthropic/prices.ts';
import { limits } from './limits.ts';

/** How an endpoint is asked, and what its answer means. */
export interface Endpoint {
  readonly path: string;
  headers(key: string): Readonly<Record<string, string>>;
  body(model: string, question: ArbiterQuestion): unknown;
  /** Null where the answer is not what the API gives. */
  read(answer: unknown): Answer | null;
}

export interface Answer {
  readonly text: string;
  /** Whether it ended because of the bound on tokens. */
  readonly cutOff: boolean;
  readonly tokens: TokenCounts;
}

const tokenCount = z.number().nonnegative();

const message = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z.object({
    input_tokens: tokenCount,
    output_tokens: tokenCount,
    cache_read_input_tokens: tokenCount.nullish(),
    cache_creation_input_tokens: tokenCount.nullish(),
  }),
});

/** Source: https://platform.claude.com/docs/en/api/messages. */
const anthropic: Endpoint = {
  path: '/v1/messages',
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  body: (model, { system, prompt }) => ({
    model,
    max_tokens: limits.maxTokens,
    system,
    messages: [{ role: 'user', content: prompt }],
  }),
  read(answer) {
    const { data } = message.safeParse(answer);
    if (data === undefined) return null;
    const { usage } = data;
    return {
      text: data.content.map(({ text = '' }) => text).join(''),
      cutOff: data.stop_reason === 'max_tokens',
      tokens: {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cacheRead: usage.cache_read_input_tokens ?? 0,
        cacheWrite: usage.cache_creation_input_tokens ?? 0,
      },
    };
  },
};

const completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: tokenCount,
      completion_tokens: tokenCount,
      prompt_tokens_details: z.object({ cached_tokens: tokenCount.nullish() }).nullish(),
    })
    .nullish(),
});

/** Source: https://developers.openai.com/api/reference/resources/chat. Cached tokens are counted in the prompt's. */
const openai: Endpoint = {
  path: '/chat/completions',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: (model, { system, prompt }) => ({
    model,
    max_completion_tokens: limits.maxTokens,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: prompt },
    ],
  }),
  read(answer) {
    const { data } = completion.safeParse(answer);
    const choice = data?.choices[0];
    if (data === undefined || choice === undefined) return null;
    const cached = data.usage?.prompt_tokens_details?.cached_tokens ?? 0;
    return {
      text: choice.message.content ?? '',
      cutOff: choice.finish_reason === 'length',
      tokens: {
        input: Math.max(0, (data.usage?.prompt_tokens ?? 0) - cached),
        output: data.usage?.completion_tokens ?? 0,
        cacheRead: cached,
        cacheWrite: 0,
      },
    };
  },
};

/** How each API is asked one question. */
export const endpoints: Readonly<Record<ReferenceModel['api'], Endpoint>> = { anthropic, openai };

const errorBody = z.object({ error: z.object({ message: z.string() }) });

/** What an endpoint says of an error in its own words; null where it says nothing that can be read. */
export function errorIn(answer: unknown): string | null {
  return errorBody.safeParse(answer).data?.error.message ?? null;
}
