/** What a million tokens cost, in US dollars. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** Into the cache that is kept for five minutes, the only one that we use. */
  readonly cacheWrite: number;
  /** Some models ask more for a long prompt, cached parts counted, for every token of that call. */
  readonly longPrompt?: { readonly aboveTokens: number; readonly price: Price };
}

export type PriceList = Readonly<Record<string, Price>>;

/** Tokens of one call, as the API counts them: `input` is what neither came from the cache nor went into it. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Writing to the five-minute cache costs a quarter more than plain input, for every model. */
function price(input: number, output: number, cacheRead: number): Price {
  return { input, output, cacheRead, cacheWrite: 1.25 * input };
}

/**
 * List prices of the Claude API. Source: https://platform.claude.com/docs/en/about-claude/pricing as of 2026-11,
 * with the cache-read price of Claude Sonnet 5.5 that holds since 2026-10-07.
 */
export const listPrices: PriceList = {
  'claude-fable-5-1': price(10, 50, 0.25),
  'claude-mythos-5-1': price(10, 50, 0.25),
  'claude-fable-5': price(10, 50, 1),
  'claude-mythos-5': price(10, 50, 1),
  'claude-opus-5-5': price(4, 20, 0.2),
  'claude-opus-5': price(5, 25, 0.5),
  'claude-opus-4-8': price(5, 25, 0.5),
  'claude-opus-4-7': price(5, 25, 0.5),
  'claude-opus-4-6': price(5, 25, 0.5),
  'claude-opus-4-5': price(5, 25, 0.5),
  'claude-sonnet-5-5': price(2, 10, 0.1),
  'claude-sonnet-5': price(2, 10, 0.2),
  'claude-sonnet-4-6': price(3, 15, 0.3),
  'claude-sonnet-4-5': price(3, 15, 0.3),
  'claude-haiku-5-5': {
    ...price(0.1, 0.5, 0.01),
    longPrompt: { aboveTokens: 100_000, price: price(0.5, 2.5, 0.05) },
  },
  'claude-haiku-4-5': price(1, 5, 0.1),
};

const TOKENS_PER_PRICE = 1_000_000;

/** What a call cost in US dollars; null where the model has no price in the list. */
export function usdOf(prices: PriceList, model: string, tokens: TokenCounts): number | null {
  const listed = prices[model] ?? prices[withoutDate(model)];
  if (listed === undefined) return null;
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  const { longPrompt } = listed;
  const due = longPrompt !== undefined && prompt > longPrompt.aboveTokens ? longPrompt.price : listed;
  return (
    (tokens.input * due.input +
      tokens.output * due.output +
      tokens.cacheRead * due.cacheRead +
      tokens.cacheWrite * due.cacheWrite) /
    TOKENS_PER_PRICE
  );
}

/** `claude-haiku-4-5-20251001` is a fixed version of `claude-haiku-4-5`. */
function withoutDate(model: string): string {
  return model.replace(/-\d{8}$/, '');
}
