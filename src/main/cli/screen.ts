import type { Colors } from 'picocolors/types.js';
import type { Failure } from '../../shared/kernel/result.ts';
import { oneLine, safeText } from './rendering/values.ts';

/** Where a command writes: the two standard streams, or a test's. */
export interface ScreenStreams {
  readonly out: (text: string) => void;
  readonly problems: (text: string) => void;
  /** Columns of the terminal that standard output is; null where it is none. */
  readonly columns: () => number | null;
}

/** Back to the line's first column, and the line cleared. */
const CLEAR_LINE = '\r\u001b[2K';

/** Where there is no terminal, nothing has to fit. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * What a command shows. With `json`, standard output carries the one document and nothing else, and what is
 * told to people goes to standard error. On a terminal a status line stays under what is told.
 */
export class Screen {
  readonly #streams: ScreenStreams;
  readonly #json: boolean;
  #status: string | null = null;
  public readonly colours: Colors;

  public constructor(streams: ScreenStreams, colours: Colors, json: boolean) {
    this.#streams = streams;
    this.#json = json;
    this.colours = colours;
  }

  /** Whether a person is at the other end, who sees a status line and can be asked. */
  public get interactive(): boolean {
    return !this.#json && this.#streams.columns() !== null;
  }

  public get columns(): number {
    return this.#streams.columns() ?? NO_LIMIT;
  }

  /** The command's result: JSON for programs, lines for people. */
  public result(value: unknown, lines: () => readonly string[]): void {
    if (this.#json) this.#streams.out(`${JSON.stringify(value)}\n`);
    else this.tell(lines());
  }

  /** What happens meanwhile. */
  public tell(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const text = lines.map((line) => `${line}\n`).join('');
    if (this.#json) this.#streams.problems(text);
    else
      this.#aboveStatus(() => {
        this.#streams.out(text);
      });
  }

  /** Shows this under everything, until the next status; null takes it away. Does nothing without a terminal. */
  public status(text: string | null): void {
    if (!this.interactive) return;
    if (this.#status !== null || text !== null) this.#streams.out(CLEAR_LINE + this.#styled(text));
    this.#status = text;
  }

  /** What went wrong and what to do, on standard error; with `json` as a document too. */
  public fail(failure: Failure): void {
    this.status(null);
    const { tag, message, next } = failure;
    if (this.#json) this.#streams.out(`${JSON.stringify({ error: { tag, message, next } })}\n`);
    const advice = next === undefined ? '' : `${this.colours.dim(safeText(next))}\n`;
    this.#streams.problems(`${this.colours.red('Error:')} ${safeText(message)}\n${advice}`);
  }

  #aboveStatus(write: () => void): void {
    if (this.#status !== null) this.#streams.out(CLEAR_LINE);
    write();
    if (this.#status !== null) this.#streams.out(this.#styled(this.#status));
  }

  #styled(text: string | null): string {
    // The last column stays free: a full line would wrap, and could not be cleared.
    return text === null ? '' : this.colours.cyan(oneLine(text, this.columns - 1));
  }
}
