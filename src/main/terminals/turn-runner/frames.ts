/** What the host and a turn runner say to each other, and who says it. */
export const frameTypes = [
  /** Host: what to start. */
  'launch',
  /** Host: bytes for the program's input, and its end. */
  'input',
  'input_end',
  /** Host: text for the terminal. */
  'show',
  /** Runner: the program runs, or could not be started. */
  'started',
  'failed',
  /** Runner: bytes of the program's two outputs. */
  'output',
  'problem',
  /** Runner: the program has ended, and all that it started; all output came before. */
  'ended',
] as const;
/** What a frame carries. */
export type FrameType = (typeof frameTypes)[number];

/** One piece of what host and runner say to each other. */
export interface Frame {
  readonly type: FrameType;
  readonly body: Buffer;
}

/** One byte for the type, four for the body's length, most significant byte first. */
const HEAD_BYTES = 5;

/** A frame as bytes. */
export function encodeFrame(type: FrameType, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + body.length);
  frame.writeUInt8(frameTypes.indexOf(type), 0);
  frame.writeUInt32BE(body.length, 1);
  frame.set(body, HEAD_BYTES);
  return frame;
}

/** A frame with text. */
export function encodeText(type: FrameType, text: string): Buffer {
  return encodeFrame(type, Buffer.from(text, 'utf8'));
}

/** A frame with a message. */
export function encodeJson(type: FrameType, value: unknown): Buffer {
  return encodeText(type, JSON.stringify(value));
}

/** Cuts a stream of bytes into frames, however it was cut on its way. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #wanted = HEAD_BYTES;

  public constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** The frames that are whole now; null for what is no frame, or too long: nothing after that can be read. */
  public push(chunk: Buffer): readonly Frame[] | null {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // Joined only once a frame is whole, so that a long one is not copied over and over.
    if (this.#size < this.#wanted) return [];
    const bytes = Buffer.concat(this.#chunks.splice(0));
    const frames: Frame[] = [];
    let at = 0;
    for (;;) {
      this.#wanted = HEAD_BYTES;
      if (bytes.length - at < HEAD_BYTES) break;
      const type = frameTypes[bytes.readUInt8(at)];
      this.#wanted += bytes.readUInt32BE(at + 1);
      if (type === undefined || this.#wanted > this.#maxBytes) return null;
      if (bytes.length - at < this.#wanted) break;
      frames.push({ type, body: bytes.subarray(at + HEAD_BYTES, at + this.#wanted) });
      at += this.#wanted;
    }
    const rest = bytes.subarray(at);
    if (rest.length > 0) this.#chunks.push(rest);
    this.#size = rest.length;
    return frames;
  }
}
