import type { LineScanner } from './line-scanner.ts';

const space = /\s*/y;
const opener = /[*_`([{]/y;
const emoji =
  /[0-9#*]\u20E3|[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u2713\u2717\u2718]/uy;

const closerOf: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

/** More signs than this before a word, or emoji behind it, are no decoration. */
const MAX_SIGNS = 16;

/** The `*`, `_`, `` ` ``, brackets and emoji around a word. What was opened can be closed; nothing else can. */
export class Decoration {
  readonly #scanner: LineScanner;
  readonly #closers: string[] = [];
  readonly #emoji: string[] = [];

  public constructor(scanner: LineScanner) {
    this.#scanner = scanner;
  }

  public get emoji(): readonly string[] {
    return this.#emoji;
  }

  public takeOpening(): void {
    while (this.#closers.length + this.#emoji.length < MAX_SIGNS) {
      this.#scanner.take(space);
      if (this.takeEmoji()) continue;
      const opened = this.#scanner.take(opener);
      if (opened === null) return;
      this.#closers.push(closerOf.get(opened) ?? opened);
    }
  }

  /** Takes what closes, the last opened first; false where nothing does. */
  public takeClosing(): boolean {
    let closed = false;
    for (;;) {
      const closer = this.#closers.at(-1);
      if (closer === undefined) return closed;
      const before = this.#scanner.index;
      // White space may stand before a bracket: "[ DONE ]". Before a `*` it would make it no decoration.
      if (/[)\]}]/.test(closer)) this.#scanner.take(space);
      if (!this.#scanner.takeText(closer)) {
        this.#scanner.returnTo(before);
        return closed;
      }
      this.#closers.pop();
      closed = true;
    }
  }

  /** Takes one or more emoji, with the white space before and between them. */
  public takeEmoji(): boolean {
    let taken = false;
    while (this.#emoji.length < MAX_SIGNS) {
      const before = this.#scanner.index;
      this.#scanner.take(space);
      const found = this.#scanner.take(emoji);
      if (found === null) {
        this.#scanner.returnTo(before);
        break;
      }
      this.#emoji.push(found);
      taken = true;
    }
    return taken;
  }
}
