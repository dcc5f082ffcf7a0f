/** What a line is in the Markdown of a reply. Only `speech` can carry a verdict. */
export type LineKind = 'blank' | 'speech' | 'indented' | 'quote' | 'code';

export interface MarkdownLine {
  readonly kind: LineKind;
  readonly text: string;
}

/** From this column on a line is indented code (CommonMark 0.31, section 4.4). */
const CODE_COLUMN = 4;

const lineBreaks = /(?:\r\n|[\n\r\v\f\u0085\u2028\u2029])([\n\r\v\f\u0085\u2028\u2029]*)/g;
// Bounded, as are the other repeated groups here: a regular expression's stack is not.
const listMarks = /[ \t]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+){0,8}/y;
const codeInListItem = /^[ \t]*(?:[-*+•]|\d{1,9}[.)])(?:[ \t]{5}|\t\t)/;
const fenceStart = /(`{3,})[^`]*$|(~{3,})/y;
const fenceEnd = /^[ \t]*(`{3,}|~{3,})[ \t]*$/;

/** HTML that is shown as code, or not at all (CommonMark 0.31, section 4.6). */
const hiddenHtml = [
  { opens: /^ {0,3}<!--/, closes: /-->/ },
  {
    opens: /^ {0,3}<(?:pre|script|style|textarea)(?:[\s>]|$)/i,
    closes: /<\/(?:pre|script|style|textarea)>/i,
  },
] as const;

/**
 * The lines of a reply and what each is, one after another as they are asked for: a reply can be long, and a
 * verdict is near its beginning. Where sloppy Markdown can be read in two ways, the line is not speech.
 */
export function* markdownLines(text: string): Generator<MarkdownLine> {
  let closes: ((line: string) => boolean) | null = null;
  for (const line of splitLines(text)) {
    if (closes !== null) {
      if (closes(line)) closes = null;
      yield { kind: 'code', text: line };
      continue;
    }
    closes = codeOpenedBy(line);
    yield { kind: closes === null ? kindOf(line) : 'code', text: line };
    if (closes === null) continue;
    // HTML may end on the line that it began on; a fence never does.
    if (hiddenHtml.some((html) => html.opens.test(line)) && closes(line)) closes = null;
  }
}

/** The lines of a text, with one blank line for any number of line breaks in a row: more would mean no more. */
function* splitLines(text: string): Generator<string> {
  let start = 0;
  for (const found of text.matchAll(lineBreaks)) {
    yield text.slice(start, found.index);
    if (found[1] !== '') yield '';
    start = found.index + found[0].length;
  }
  yield text.slice(start);
}

function kindOf(line: string): LineKind {
  if (line.trim() === '') return 'blank';
  if (line[lengthOfListMarks(line)] === '>') return 'quote';
  const indentation = columnAt(line, line.length - line.trimStart().length);
  return indentation >= CODE_COLUMN || codeInListItem.test(line) ? 'indented' : 'speech';
}

/** How the code that a line opens will end; null where it opens none. */
function codeOpenedBy(line: string): ((line: string) => boolean) | null {
  const html = hiddenHtml.find(({ opens }) => opens.test(line));
  if (html !== undefined) return (later) => html.closes.test(later);

  // A fence may begin inside a list item, so at any column behind its marks.
  fenceStart.lastIndex = lengthOfListMarks(line);
  const column = columnAt(line, fenceStart.lastIndex);
  const opened = fenceStart.exec(line);
  const fence = opened?.[1] ?? opened?.[2];
  if (fence === undefined) return null;
  return (later) => {
    const end = fenceEnd.exec(later)?.[1];
    if (end === undefined || end[0] !== fence[0] || end.length < fence.length) return false;
    return columnAt(later, later.indexOf(end)) < column + CODE_COLUMN;
  };
}

function lengthOfListMarks(line: string): number {
  listMarks.lastIndex = 0;
  return listMarks.exec(line)?.[0].length ?? 0;
}

/** The column of an index, with tab stops every four columns. */
function columnAt(line: string, index: number): number {
  let column = 0;
  for (let at = 0; at < index; at += 1) column = line[at] === '\t' ? column - (column % 4) + 4 : column + 1;
  return column;
}
