/** Tokens of one call: `input` is what neither came from the cache nor went into it. */
export interface CallTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Where nothing is counted yet. */
export const noTokens: CallTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
