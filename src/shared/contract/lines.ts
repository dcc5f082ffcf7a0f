/** One line of a stream of bytes, or why there is none to read. */
export type Line =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'too_long' | 'not_utf8' };

/** Longest request: a message of 100,000 characters, each escaped as `\uXXXX`, with room to spare. */
export const MAX_REQUEST_BYTES = 1_048_576;

/** Longest response that a client takes: the diff of a large task. */
export const MAX_RESPONSE_BYTES = 268_435_456;

const LINE_FEED = 0x0a;

/**
 * Cuts bytes into lines, however they arrive. Bytes are cut at the line feed and only then read as UTF-8, so
 * a character that is split between two chunks is whole again. A line that is too long is skipped to its end
 * without being kept.
 */
export class LineReader {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  public constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk. Empty ones are left out. */
  public push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      this.#keep(chunk.subarray(from, end));
      lines.push(...this.end());
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  /** The line that the stream ended in without a line feed, if any. */
  public end(): Line[] {
    const line = this.#line();
    this.#pieces = [];
    this.#bytes = 0;
    return line === null ? [] : [line];
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #line(): Line | null {
    if (this.#bytes > this.#maxBytes) return { kind: 'too_long' };
    try {
      const text = this.#decoder.decode(joined(this.#pieces, this.#bytes)).trim();
      return text === '' ? null : { kind: 'text', text };
    } catch (thrown) {
      if (thrown instanceof TypeError) return { kind: 'not_utf8' };
      throw thrown;
    }
  }
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
