const BEGIN = '\u001b]7717;';
const END = 0x07;

/**
 * A script for `sh -c`: runs the program in "$@" and says how it goes by marks in both of its streams, after all that
 * the program wrote there. The end of an exec's stream is no such sign: it waits for whatever the program has left
 * running. `$0` is a token that is in no output by chance.
 */
export const programScript = markedScript('');

/**
 * The same for a command of which nothing may be left running: ends everything of its user before it says the end. It
 * is the first to go where memory is short.
 */
export const commandScript = markedScript('kill -9 -1 2>/dev/null', 'echo 1000 >/proc/self/oom_score_adj');

function markedScript(afterwards: string, before = ''): string {
  return [
    `mark() { printf '\\033]7717;%s;%s\\007' "$token" "$1"; }`,
    'token=$0',
    'command -v "$1" >/dev/null 2>&1 || { mark missing; exit 127; }',
    before,
    'mark begun',
    '"$@"',
    'code=$?',
    afterwards,
    'mark "$code" >&2',
    'mark "$code"',
  ].join('\n');
}

/** Takes the marks out of one stream. */
export class MarkReader {
  readonly #begin: Buffer;
  #held: Buffer = Buffer.alloc(0);

  public constructor(token: string) {
    this.#begin = Buffer.from(`${BEGIN}${token};`);
  }

  /** What is output for certain, and the words of the marks that are complete. */
  public read(chunk: Buffer): { readonly output: Buffer; readonly words: readonly string[] } {
    let text = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const output: Buffer[] = [];
    const words: string[] = [];
    for (;;) {
      const begin = text.indexOf(this.#begin);
      const end = begin === -1 ? -1 : text.indexOf(END, begin);
      if (end === -1) {
        const certain = begin === -1 ? text.length - this.#possibleBegin(text) : begin;
        output.push(text.subarray(0, certain));
        this.#held = text.subarray(certain);
        return { output: Buffer.concat(output), words };
      }
      output.push(text.subarray(0, begin));
      words.push(text.toString('utf8', begin + this.#begin.length, end));
      text = text.subarray(end + 1);
    }
  }

  /** What was held back for a mark that never came. */
  public rest(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }

  /** The length of the longest end of `text` with which a mark begins. */
  #possibleBegin(text: Buffer): number {
    for (let length = Math.min(text.length, this.#begin.length - 1); length > 0; length -= 1) {
      if (text.subarray(text.length - length).equals(this.#begin.subarray(0, length))) return length;
    }
    return 0;
  }
}
