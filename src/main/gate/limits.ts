/** What keeps a request, a client or an upstream from taking more than its share. */
export interface GateLimits {
  /** Most bytes of a request's line and headers: agents put descriptions of their turn in there. */
  readonly headerBytes: number;
  /** How long a client may take to send them. */
  readonly headersMs: number;
  /** How long it may take to send all of a request. */
  readonly requestMs: number;
  /** How long a client's connection may wait for its next request. */
  readonly idleConnectionMs: number;
  /** Most bytes of a request to a model API. */
  readonly modelRequestBytes: number;
  /** Most bytes of an MCP message. */
  readonly toolRequestBytes: number;
  /** How long upstream may send nothing before it counts as gone. */
  readonly silenceMs: number;
}

/** What holds where nothing else is said. */
export const defaultLimits: GateLimits = {
  headerBytes: 65_536,
  headersMs: 10_000,
  requestMs: 60_000,
  idleConnectionMs: 120_000,
  // The Messages API takes 32 MB: https://platform.claude.com/docs/en/api/overview#request-size-limits.
  modelRequestBytes: 33_554_432,
  toolRequestBytes: 4_194_304,
  // Longer than either API's clients wait for an answer that is not streamed (10 minutes).
  silenceMs: 900_000,
};
