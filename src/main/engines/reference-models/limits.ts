/** Bounds of one question to one reference model. */
export const limits = {
  callMs: 60_000,
  maxTokens: 2_048,
  /** The longest opinion that is passed on, in characters: some endpoints do not keep to the tokens. */
  opinionCharacters: 16_000,
  /** The largest answer that is read, in bytes. */
  answerBytes: 1_048_576,
  /** How much of an endpoint's own words a failure quotes, in characters. */
  quotedCharacters: 200,
} as const;
