const MINUTE_MS = 60_000;

/** Bounds of a turn through a coding agent's program. */
export const limits = {
  /** Silence of a program on which none of our tools works: nothing more is to be expected of it. */
  silenceMs: 30 * MINUTE_MS,
  /** How long a program may take to end once all is answered and its input is closed. */
  farewellMs: MINUTE_MS,
  /** The longest line of output, in bytes: whole files go through in one, whole disks do not. */
  lineBytes: 16 * 1024 * 1024,
  /** Lines that are not the program's protocol and are shown one by one; the rest is counted. */
  shownGarbageLines: 3,
  /** The end of the error output that failures are told from, in characters. */
  keptProblemCharacters: 8_000,
  /** How much of what a program printed a message quotes, in characters. */
  quotedCharacters: 400,
  /** A command of a sealed agent, where the agent does not say. */
  commandMs: 2 * MINUTE_MS,
  /** The longest that the agent may let a command run. */
  longestCommandMs: 30 * MINUTE_MS,
  /** What a tool gives to the agent: bytes of a command's output, characters of any answer. */
  toolOutput: 40_000,
  /** Output of one command, and the whole screen of a turn, that are shown live, in characters. */
  shownOutputCharacters: 256 * 1024,
  /** One text of the agent, as it is shown live, in characters. */
  shownTextCharacters: 4_000,
  /** A line that says what a tool does or did, in characters. */
  summaryCharacters: 160,
} as const;
