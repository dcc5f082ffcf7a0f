const NEWLINE = 0x0a;

/**
 * Cuts output into lines, wherever the chunks are cut: in the middle of a character too. It holds at most one line
 * that is not whole yet, and no more of it than the limit.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #stopped = false;

  /** After `onTooLong`, which is told once, nothing more is read. */
  public constructor(maxBytes: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  public push(chunk: Uint8Array): void {
    let from = 0;
    while (!this.#stopped && from < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, from);
      const piece = chunk.subarray(from, newline === -1 ? chunk.length : newline);
      if (this.#heldBytes + piece.length > this.#maxBytes) {
        this.#stopped = true;
        this.#take();
        this.#onTooLong();
        return;
      }
      this.#held.push(piece);
      this.#heldBytes += piece.length;
      if (newline === -1) return;
      this.#onLine(this.#take());
      from = newline + 1;
    }
  }

  /** What came after the last newline; empty where the output ended with one. */
  public rest(): string {
    return this.#take();
  }

  #take(): string {
    const line = Buffer.concat(this.#held).toString('utf8');
    this.#held = [];
    this.#heldBytes = 0;
    return line;
  }
}
