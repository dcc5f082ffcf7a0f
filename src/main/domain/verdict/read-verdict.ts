import { clipped } from '../../../shared/kernel/text.ts';
import type { Role, Verdict } from '../../../shared/vocabulary/words.ts';
import { CANDIDATE_LINES, candidateLines } from './candidate-lines.ts';
import type { CandidateLine } from './candidate-lines.ts';
import { doubtOpening, hedgeEnding, hedgeIn, hedgeOpening, talksAboutTheWord } from './hedges.ts';
import { asItLooks } from './look-alikes.ts';
import type { Reading } from './reading.ts';
import { readStatusLine } from './status-line.ts';
import type { StatusLine } from './status-line.ts';
import { isApproval, otherVerdictNamed, verdictsOf } from './status-words.ts';
import { visibleText } from './visible-text.ts';

/** How much of a line a reason quotes, in characters. */
const MAX_QUOTED_CHARACTERS = 80;

/** A status word stands within so many characters of its line's beginning. */
const DISGUISE_CHARACTERS = 400;

/**
 * Reads a verdict from what an agent wrote: the fallback where it gave none through the tool. No approval is ever
 * inferred: whatever is hedged, contradictory, disguised or another role's is `none`, with the reason.
 */
export function readVerdict(role: Role, text: string): Reading {
  let said: Verdict | null = null;
  let stands = false;
  let takenBack: string | null = null;
  let refusal: string | null = null;

  const candidates = candidateLines(visibleText(text));
  if (candidates.length === 0) {
    return { kind: 'none', reason: 'Nothing was said, or all of it is quoted, code or an internal note.' };
  }
  for (const candidate of candidates) {
    const reading = readStatusLine(candidate.text, candidate.alone);
    if (reading.kind !== 'status') {
      if (isDisguised(candidate))
        return none(candidate, 'it looks like a status line, but not all of its letters are what they seem');
      if (reading.kind === 'refused') refusal ??= describe(candidate, reading.why);
      continue;
    }
    const { verdict, written } = reading.line.word;
    if (!verdictsOf(role).includes(verdict))
      return none(candidate, `"${written}" is no word of the ${role}'s`);
    // A word that was taken back was said all the same: "BLOCKED: I cannot say DONE", and then "DONE".
    if (said !== null && said !== verdict)
      return none(candidate, `it gives a second verdict, ${verdict}, beside ${said}`);
    said = verdict;
    const objection = objectionTo(reading.line, candidate);
    if (objection === null) stands = true;
    else takenBack ??= describe(candidate, objection);
  }

  if (said === null) {
    return {
      kind: 'none',
      reason:
        refusal ?? `None of the first ${CANDIDATE_LINES} lines outside code and quotes is a status line.`,
    };
  }
  if (takenBack !== null && (isApproval(said) || !stands)) return { kind: 'none', reason: takenBack };
  return { kind: 'verdict', verdict: said, via: 'text' };
}

/** Why a status line is no verdict after all; null where nothing speaks against it. */
function objectionTo(
  { word, remark, remarkRunsOn, remarkIsSentence, emoji }: StatusLine,
  { before, after }: CandidateLine,
): string | null {
  const other = otherVerdictNamed(asItLooks(remark), word.verdict);
  if (other !== null) return `its remark names another status word, "${other}"`;
  if (remarkRunsOn && talksAboutTheWord(remark)) return `it talks about the word "${word.written}"`;
  if (!isApproval(word.verdict)) return null;

  const sign = hedgeIn(emoji.join(''));
  if (sign !== null) return `the sign ${sign} takes "${word.written}" back`;
  const within = hedgeIn(remark) ?? doubtOpening(remark, remarkIsSentence);
  if (within !== null) return `"${within}" in its remark takes "${word.written}" back`;
  const next = after === null ? null : hedgeOpening(after);
  if (next !== null) return `"${next}" at the start of the next line takes "${word.written}" back`;
  const previous = before === null ? null : hedgeEnding(before);
  if (previous !== null) return `"${previous}" at the end of the line before takes "${word.written}" back`;
  return null;
}

/** With look-alike letters replaced, the line would be a status line. */
function isDisguised({ text, alone }: CandidateLine): boolean {
  const start = text.slice(0, DISGUISE_CHARACTERS);
  const looks = asItLooks(start);
  return looks !== start && readStatusLine(looks, alone).kind === 'status';
}

function none(candidate: CandidateLine, why: string): Reading {
  return { kind: 'none', reason: describe(candidate, why) };
}

function describe({ text }: CandidateLine, why: string): string {
  return `The line "${clipped(text.trim(), MAX_QUOTED_CHARACTERS)}" does not count: ${why}.`;
}
