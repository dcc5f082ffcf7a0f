import { parseJson } from '../../../shared/kernel/json.ts';
import { counted, firstLine } from '../../../shared/kernel/text.ts';
import type { CliEvent, CliReader } from './dialect.ts';
import { limits } from './limits.ts';
import { LineSplitter } from './lines.ts';

/** Whose output it is, and who is told what it says. */
export interface ProgramOutputParts {
  /** What people call the program. */
  readonly title: string;
  readonly reader: CliReader;
  onEvent(event: CliEvent): void;
  /** What people should see of lines that could not be read. */
  onNotice(text: string): void;
  /** Told once; nothing is read afterwards. */
  onTooLong(): void;
}

/** A program's standard output as events. Lines that are none of its protocol are shown, the first of them, and counted. */
export class ProgramOutput {
  readonly #parts: ProgramOutputParts;
  readonly #lines: LineSplitter;
  #garbageLines = 0;
  #garbage: string | null = null;
  #endedInALine = false;

  public constructor(parts: ProgramOutputParts) {
    this.#parts = parts;
    this.#lines = new LineSplitter(
      limits.lineBytes,
      (line) => {
        this.#onLine(line);
      },
      () => {
        parts.onTooLong();
      },
    );
  }

  /** The first line that is not the program's protocol. */
  public get garbage(): string | null {
    return this.#garbage;
  }

  public get endedInALine(): boolean {
    return this.#endedInALine;
  }

  public push(chunk: Uint8Array): void {
    this.#lines.push(chunk);
  }

  /** A line that the program had not ended may be whole all the same. */
  public end(): void {
    const rest = this.#lines.rest();
    this.#endedInALine = rest.trim() !== '' && parseJson(rest) === undefined;
    this.#onLine(rest);
    const hidden = this.#garbageLines - limits.shownGarbageLines;
    if (hidden > 0) {
      this.#parts.onNotice(`${counted(hidden, 'more line')} of ${this.#parts.title} could not be read.`);
    }
  }

  #onLine(text: string): void {
    if (text.trim() === '') return;
    const line = parseJson(text);
    const events = line === undefined ? null : this.#parts.reader.read(line);
    if (events === null) this.#onGarbage(text);
    else for (const event of events) this.#parts.onEvent(event);
  }

  #onGarbage(text: string): void {
    const quoted = firstLine(text, limits.summaryCharacters);
    this.#garbage ??= quoted;
    this.#garbageLines += 1;
    if (this.#garbageLines > limits.shownGarbageLines) return;
    this.#parts.onNotice(`${this.#parts.title} printed a line that could not be read: ${quoted}`);
  }
}
