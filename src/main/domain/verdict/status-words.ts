import { arbiterVerdicts, workVerdicts } from '../../../shared/vocabulary/words.ts';
import type { Role, Verdict } from '../../../shared/vocabulary/words.ts';

/** The words that a role's turn can end with. */
export function verdictsOf(role: Role): readonly Verdict[] {
  return role === 'arbiter' ? arbiterVerdicts : workVerdicts;
}

/** Only these let work go on without another look, so only these are undone by a doubt. */
export function isApproval(verdict: Verdict): boolean {
  return verdict === 'DONE' || verdict === 'PROCEED';
}

/** Everyday words for DONE. */
const synonyms: ReadonlyMap<string, Verdict> = new Map([
  ['APPROVED', 'DONE'],
  ['LGTM', 'DONE'],
]);

const verdicts: ReadonlyMap<string, Verdict> = new Map(
  [...workVerdicts, ...arbiterVerdicts].map((verdict) => [verdict, verdict] as const),
);

/** A verdict's word as it was written. */
export interface StatusWord {
  readonly written: string;
  readonly verdict: Verdict;
  readonly synonym: boolean;
  readonly inCapitals: boolean;
  /** One of the two words of several parts, which nobody writes by accident. */
  readonly long: boolean;
}

// The longest first, so that DONE_WITH_CONCERNS is never read as DONE.
const spelling = [...verdicts.keys(), ...synonyms.keys()]
  .sort((one, other) => other.length - one.length)
  .map((word) => word.replaceAll('_', '(?:[_-]|[^\\S\\n]+)'))
  .join('|');

// Without the flag `u`, under which `i` would take a long s (U+017F) for an S.
const atStart = new RegExp(spelling, 'iy');
const anywhere = new RegExp(`(?<![\\p{L}\\p{N}])(?:${spelling})(?![\\p{L}\\p{N}])`, 'giu');

/** The status word that stands at an index, whatever follows it. */
export function statusWordAt(text: string, index: number): StatusWord | null {
  atStart.lastIndex = index;
  const written = atStart.exec(text)?.[0];
  return written === undefined ? null : statusWord(written);
}

/**
 * A word in a text that names another verdict than the given one, as it was written. Beside an approval, the same
 * role's other words count in small letters too: "DONE: blocked on CI" approves nothing. Beside other verdicts they
 * are prose: "BLOCKED: nothing can be done".
 */
export function otherVerdictNamed(text: string, verdict: Verdict): string | null {
  for (const [written] of text.matchAll(anywhere)) {
    const named = statusWord(written);
    if (named === null || named.verdict === verdict) continue;
    const onPurpose = named.inCapitals || written.includes('_');
    if (onPurpose || (isApproval(verdict) && isArbiters(named.verdict) === isArbiters(verdict)))
      return written;
  }
  return null;
}

function isArbiters(verdict: Verdict): boolean {
  return verdictsOf('arbiter').includes(verdict);
}

function statusWord(written: string): StatusWord | null {
  const word = written.toUpperCase().replace(/[_\-\s]+/g, '_');
  const synonym = synonyms.get(word);
  const verdict = synonym ?? verdicts.get(word);
  if (verdict === undefined) return null;
  return {
    written,
    verdict,
    synonym: synonym !== undefined,
    inCapitals: written === written.toUpperCase(),
    long: word.includes('_'),
  };
}
