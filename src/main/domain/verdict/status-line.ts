import { Decoration } from './decoration.ts';
import { LineScanner } from './line-scanner.ts';
import { statusWordAt } from './status-words.ts';
import type { StatusWord } from './status-words.ts';

/** A line read by the status-line grammar, before anything that could take its word back is looked at. */
export interface StatusLine {
  readonly word: StatusWord;
  /** What is said behind the word. */
  readonly remark: string;
  /** The remark follows without a separator, as in "**DONE** is too strong". */
  readonly remarkRunsOn: boolean;
  /** The remark is a sentence of its own, as in "DONE. I read all of it". */
  readonly remarkIsSentence: boolean;
  /** The emoji around the word. */
  readonly emoji: readonly string[];
}

type LineReading =
  | { readonly kind: 'status'; readonly line: StatusLine }
  /** Begins as a status line does, but is none. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'plain' };

const space = /\s*/y;
const someSpace = /\s+/y;
const spaceOrEnd = /\s+|$/y;
const mark = /(?:[-*+•]|\d{1,9}[.)]|\[[xX]\])\s+/y;
const headingMark = /#{1,6}\s+/y;
const labelWord = /status|verdict/iy;
const colon = /\s*:/y;
const separator = /\s*(?:[.:,]|!+|-{1,3}|[—–])/y;
// White space on either side of it does: "DONE (all tests pass)".
const openingBracket = /\s+\(|\(\s/y;

/**
 * Reads one line: list marker, number, heading or checked box; decoration; `Status:` or `Verdict:`; the word;
 * then the end of the line, the decoration that was opened, an emoji, or a separator followed by white space; and
 * a remark. `alone` says whether the line is a paragraph of its own.
 */
export function readStatusLine(text: string, alone: boolean): LineReading {
  const marks = readMarks(text);
  const scanner = new LineScanner(marks.heading ? withoutClosingHashes(text) : text.trimEnd(), marks.length);
  const decoration = new Decoration(scanner);

  decoration.takeOpening();
  const labelled = takeLabel(scanner, decoration);
  if (labelled) decoration.takeOpening();
  const word = statusWordAt(scanner.line, scanner.index);
  if (word === null) return { kind: 'plain' };
  scanner.takeText(word.written);

  const end = takeEnd(scanner, decoration);
  if (end === null) {
    return {
      kind: 'refused',
      why: `what follows "${word.written}" is neither a separator nor the end of the line`,
    };
  }
  const remark = scanner.rest.trim();
  const ownParagraph = alone && !/[\p{L}\p{N}]/u.test(remark);
  const line = {
    word,
    remark,
    remarkRunsOn: end === 'decoration',
    remarkIsSentence: end === 'full stop',
    emoji: decoration.emoji,
  };

  if (word.synonym) {
    if (ownParagraph) return { kind: 'status', line };
    return { kind: 'refused', why: `"${word.written}" counts only as a paragraph of its own` };
  }
  // "## Done" is the title of a section more often than a verdict.
  const standsAlone = ownParagraph && !marks.heading;
  const longBeforeSeparator = word.long && (end === 'separator' || end === 'full stop');
  if (word.inCapitals || labelled || standsAlone || longBeforeSeparator) return { kind: 'status', line };
  return {
    kind: 'refused',
    why: `"${word.written}" is neither in capitals, nor labelled, nor a paragraph of its own`,
  };
}

/** A line without its list marker, number, heading mark and checked box. */
export function withoutMarks(text: string): string {
  return text.slice(readMarks(text).length);
}

function readMarks(text: string): { readonly length: number; readonly heading: boolean } {
  const scanner = new LineScanner(text);
  let heading = false;
  scanner.take(space);
  for (;;) {
    if (scanner.take(mark) !== null) continue;
    if (scanner.take(headingMark) === null) return { length: scanner.index, heading };
    heading = true;
  }
}

/** "## DONE ##" is the heading "DONE". */
function withoutClosingHashes(text: string): string {
  const trimmed = text.trimEnd();
  let length = trimmed.length;
  while (trimmed[length - 1] === '#') length -= 1;
  return /\s/.test(trimmed[length - 1] ?? '') ? trimmed.slice(0, length).trimEnd() : trimmed;
}

function takeLabel(scanner: LineScanner, decoration: Decoration): boolean {
  if (scanner.take(labelWord) === null) return false;
  decoration.takeClosing();
  if (scanner.take(colon) === null) return false;
  decoration.takeClosing();
  return true;
}

/** What ends the word; null where it goes on as a sentence or as another word. */
function takeEnd(
  scanner: LineScanner,
  decoration: Decoration,
): 'end' | 'decoration' | 'emoji' | 'separator' | 'full stop' | null {
  const closed = decoration.takeClosing();
  if (scanner.atEnd) return 'end';
  if (decoration.takeEmoji()) {
    decoration.takeClosing();
    return 'emoji';
  }
  if (scanner.take(openingBracket) !== null) return 'separator';
  const separated = scanner.take(separator);
  if (separated !== null) {
    // "**DONE.** All tests pass"
    decoration.takeClosing();
    if (scanner.take(spaceOrEnd) === null) return null;
    return /[.!]/.test(separated) ? 'full stop' : 'separator';
  }
  return closed && scanner.take(someSpace) !== null ? 'decoration' : null;
}
