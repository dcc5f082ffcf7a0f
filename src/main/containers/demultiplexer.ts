/** Bytes before each piece: its stream, three that mean nothing, and its length, most significant byte first. */
const HEADER_BYTES = 8;
const STDERR = 2;

/**
 * Takes the stream of an exec apart into standard output and error output, in the form that the engine's API calls
 * multiplexed. Pieces are handed on as they come, whatever their length, so that none is kept whole.
 */
export class Demultiplexer {
  readonly #onOutput: (piece: Buffer) => void;
  readonly #onProblem: (piece: Buffer) => void;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #leftBytes = 0;

  public constructor(onOutput: (piece: Buffer) => void, onProblem: (piece: Buffer) => void) {
    this.#onOutput = onOutput;
    this.#onProblem = onProblem;
  }

  public read(chunk: Buffer): void {
    for (let rest = chunk; rest.length > 0;) {
      rest = rest.subarray(this.#leftBytes > 0 ? this.#readPiece(rest) : this.#readHeader(rest));
    }
  }

  #readHeader(rest: Buffer): number {
    const taken = rest.copy(this.#header, this.#headerBytes, 0, HEADER_BYTES - this.#headerBytes);
    this.#headerBytes += taken;
    if (this.#headerBytes === HEADER_BYTES) {
      this.#headerBytes = 0;
      this.#leftBytes = this.#header.readUInt32BE(4);
    }
    return taken;
  }

  #readPiece(rest: Buffer): number {
    const piece = rest.subarray(0, this.#leftBytes);
    this.#leftBytes -= piece.length;
    (this.#header[0] === STDERR ? this.#onProblem : this.#onOutput)(piece);
    return piece.length;
  }
}
