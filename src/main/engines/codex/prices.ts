import { usdOf, type Price, type PriceList, type TokenCounts } from '../anthropic/prices.ts';

/** A prompt of more tokens than this, cached ones counted, makes the whole call dearer. */
const LONG_PROMPT_TOKENS = 272_000;

/** Writing into the cache costs a quarter more than plain input; a long prompt doubles input, and half again output. */
function price(input: number, output: number, cacheRead: number): Price {
  const short = { input, output, cacheRead, cacheWrite: 1.25 * input };
  const long = { input: 2 * input, output: 1.5 * output, cacheRead: 2 * cacheRead, cacheWrite: 2.5 * input };
  return { ...short, longPrompt: { aboveTokens: LONG_PROMPT_TOKENS, price: long } };
}

/**
 * Standard prices of OpenAI's API for models that Codex takes. Source: https://developers.openai.com/api/docs/models
 * and https://developers.openai.com/api/docs/pricing as of 2026-11, some of them as others quote those pages. A model
 * whose price was not found so has none.
 */
const openAiPrices: PriceList = {
  'gpt-6.2-astra': price(8, 40, 0.4),
  'gpt-6.2-sol': price(2, 10, 0.1),
  'gpt-6.1-sol': price(2, 10, 0.1),
  'gpt-6.1-terra': price(1, 5, 0.05),
  'gpt-6-astra': price(10, 50, 1),
  'gpt-6-sol': price(2, 10, 0.2),
  'gpt-6-luna': price(0.1, 0.5, 0.01),
  'gpt-5.6-sol': price(4, 20, 0.4),
  'gpt-5.6-terra': price(2, 12, 0.2),
  'gpt-5.6-luna': price(0.2, 1.2, 0.02),
};

/**
 * What a call cost in US dollars; null where the model's price is not known. `gpt-5.5-2026-04-23` is a fixed version of
 * `gpt-5.5`.
 */
export function usdOfOpenAi(model: string, tokens: TokenCounts): number | null {
  return usdOf(openAiPrices, model.replace(/-\d{4}-\d{2}-\d{2}$/, ''), tokens);
}
