/** Bounds of a turn on the Messages API. */
export const limits = {
  /** A whole model call. The longest replies, at the slowest rate of today's models, take about twenty minutes. */
  callMs: 30 * 60_000,
  /** Silence on an open call. The API sends pings while a model thinks, so silence means a dead connection. */
  idleMs: 90_000,
  /** Most tokens of one reply, thinking included, where the room's settings do not say. */
  replyTokens: 32_000,
  /** Replies in a row that ran into that limit before the turn is given up. */
  cutReplies: 3,
  /** A tool that only reads, or writes a file. */
  toolMs: 30_000,
  /** What a tool gives to the model, in characters. */
  toolOutputCharacters: 40_000,
  /** A command, where the model does not say. */
  commandMs: 2 * 60_000,
  /** The longest that the model may let a command run. */
  longestCommandMs: 30 * 60_000,
  /** Output of one command that is shown live, in characters. The model still gets the end of it. */
  shownOutputCharacters: 256 * 1024,
  /** One text of the model, as it is shown live, in characters. */
  shownTextCharacters: 4_000,
  /** A line that says what a tool does or did, in characters. */
  summaryCharacters: 160,
} as const;
