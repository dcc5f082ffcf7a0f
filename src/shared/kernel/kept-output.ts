/**
 * Keeps the beginning and the end of an output in bounded memory. The end gets more room: that is where a
 * program says how it went.
 */
export class KeptOutput {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  readonly #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #leftOut = 0;

  public constructor(maxBytes: number) {
    this.#headBytes = Math.floor(maxBytes / 3);
    this.#tailBytes = maxBytes - this.#headBytes;
  }

  public get truncated(): boolean {
    return this.#leftOut > 0;
  }

  public add(text: string): void {
    let bytes = Buffer.from(text, 'utf8');
    const room = this.#headBytes - this.#headSize;
    if (room > 0) {
      this.#head.push(bytes.subarray(0, room));
      this.#headSize += Math.min(room, bytes.length);
      bytes = bytes.subarray(room);
    }
    if (bytes.length === 0) return;
    this.#tail.push(bytes);
    this.#tailSize += bytes.length;
    // Cutting only now and then keeps a flood from copying the same bytes over and over.
    if (this.#tailSize > 2 * this.#tailBytes) this.#cutTail();
  }

  /** The kept text, with a line that says how much is missing where something is. */
  public text(): string {
    this.#cutTail();
    const head = decode(Buffer.concat(this.#head));
    const tail = decode(Buffer.concat(this.#tail));
    if (this.#leftOut === 0) return decode(Buffer.concat([...this.#head, ...this.#tail]));
    return `${head}\n[… ${this.#leftOut} bytes left out …]\n${tail}`;
  }

  #cutTail(): void {
    const surplus = this.#tailSize - this.#tailBytes;
    if (surplus <= 0) return;
    this.#tail = [Buffer.concat(this.#tail).subarray(surplus)];
    this.#tailSize -= surplus;
    this.#leftOut += surplus;
  }
}

/** A character that a cut has split is dropped, not shown as a question mark. */
function decode(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\uFFFD+|\uFFFD+$/g, '');
}
