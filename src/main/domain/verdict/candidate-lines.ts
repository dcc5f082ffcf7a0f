import { markdownLines } from './markdown-lines.ts';
import type { LineKind, MarkdownLine } from './markdown-lines.ts';

/** A verdict stands at the top of a reply: so many non-empty lines are looked at, no more. */
export const CANDIDATE_LINES = 12;

/** A line that can be a status line, with what its meaning depends on. */
export interface CandidateLine {
  readonly text: string;
  /** Nothing but blank lines, code or the ends of the text around it: a paragraph of its own. */
  readonly alone: boolean;
  /** The line right above in the same paragraph. */
  readonly before: string | null;
  /** The next non-empty line outside fences and quotes. */
  readonly after: string | null;
}

type Draft = { -readonly [Key in keyof CandidateLine]: CandidateLine[Key] };

/** The first 12 non-empty lines outside fences, indented code and quotes. Reads no further than it must. */
export function candidateLines(visible: string): readonly CandidateLine[] {
  const candidates: Draft[] = [];
  let above: MarkdownLine = { kind: 'blank', text: '' };
  let latest: Draft | null = null;
  let latestIsAbove = false;
  for (const line of markdownLines(visible)) {
    if (latest !== null) {
      if (latestIsAbove && !endsParagraph(line.kind)) latest.alone = false;
      // An indented line can be code or the rest of a paragraph: it gives no verdict, but it can take one back.
      if (line.kind === 'speech' || line.kind === 'indented') {
        latest.after = line.text;
        latest = null;
      }
    }
    latestIsAbove = false;
    if (candidates.length === CANDIDATE_LINES) {
      if (latest === null) break;
    } else if (line.kind === 'speech') {
      latest = {
        text: line.text,
        alone: endsParagraph(above.kind),
        before: above.kind === 'speech' || above.kind === 'indented' ? above.text : null,
        after: null,
      };
      candidates.push(latest);
      latestIsAbove = true;
    }
    above = line;
  }
  return candidates;
}

/** A quote is not among these: a line right below one can still belong to it. */
function endsParagraph(kind: LineKind): boolean {
  return kind === 'blank' || kind === 'code';
}
