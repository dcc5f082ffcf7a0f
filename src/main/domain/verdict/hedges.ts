import { asItLooks } from './look-alikes.ts';
import { withoutMarks } from './status-line.ts';

/** Each of these words takes an approval back. */
const hedgeWords: ReadonlySet<string> = new Set(
  `not cannot dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt hasnt havent cant never
  but however although though except unless until till once if when after assuming assumes assume provided providing
  pending almost nearly partly partially mostly maybe perhaps probably wait waiting awaiting actually missing`.split(
    /\s+/,
  ),
);

const emojiOfDoubt = /[❌❎✖✗✘🚫⛔🛑⚠❓❔⁉🤔🚧⏳⌛🔴🟠🟡👎🔲🔳⬜◻]/u;

/** Words, with contractions whole, and the signs that end a clause or ask. Bounded, so that no text exhausts the stack. */
const token = /[\p{L}\p{N}]{1,40}(?:'\p{L}{1,20}){0,3}|[?.;:!]/gu;
const anotherWord = /\s+["'(*_`[]*[\p{L}\p{N}]/uy;

/** How much of a neighbouring line is looked at. */
const EDGE_CHARACTERS = 200;

/** How many words may stand between "with" and "concerns". */
const WORDS_WITHIN_WITH = 8;

/** The first word or sign in a remark that takes an approval back, or null. */
export function hedgeIn(remark: string): string | null {
  const doubt = emojiOfDoubt.exec(remark);
  if (doubt !== null) return doubt[0];
  const text = plain(remark);
  for (const found of text.matchAll(token)) {
    if (isHedge(found[0], text, found.index)) return found[0];
  }
  return withConcernsIn(text);
}

/** The hedge that a line opens with, as in "But the error path leaks", or null. */
export function hedgeOpening(line: string): string | null {
  const text = plain(withoutMarks(line.slice(0, EDGE_CHARACTERS)));
  const first = firstToken(text);
  if (first === null) return null;
  const doubt = emojiOfDoubt.exec(text.slice(0, first.index));
  if (doubt !== null) return doubt[0];
  if (isHedge(first.word, text, first.index)) return first.word;
  return first.word.toLowerCase() === 'with' ? withConcernsIn(text) : null;
}

/** The hedge that a line ends with, as in "The work is not", or null. */
export function hedgeEnding(line: string): string | null {
  const last = /[\p{L}\p{N}']{1,20}$/u.exec(plain(line.trimEnd().slice(-EDGE_CHARACTERS)));
  return last !== null && isHedge(last[0], last[0], 0) ? last[0] : null;
}

/** A remark that goes on with the word as its subject talks about the word: "`DONE` is what I would say". */
export function talksAboutTheWord(remark: string): boolean {
  const first = firstToken(plain(remark));
  return (
    first !== null &&
    /^(?:is|isn't|was|wasn't|are|be|means|would|wouldn't|should|could|can|can't|cannot|will|won't|may|might|must|seems|looks|needs|requires|or)$/i.test(
      first.word,
    )
  );
}

/** "with … concerns / issues"; "with no issues" takes nothing back. */
function withConcernsIn(text: string): string | null {
  let wordsLeft = 0;
  for (const [word] of text.matchAll(token)) {
    const lower = word.toLowerCase();
    if (wordsLeft > 0 && /^(?:concern|issue)s?$/.test(lower)) return `with … ${word}`;
    if (lower === 'with') wordsLeft = WORDS_WITHIN_WITH;
    else if (/^(?:no|zero|0|[.;:!])$/.test(lower)) wordsLeft = 0;
    else wordsLeft -= 1;
  }
  return null;
}

function firstToken(text: string): { readonly word: string; readonly index: number } | null {
  for (const found of text.matchAll(token)) {
    if (!/[.;:!]/.test(found[0])) return { word: found[0], index: found.index };
  }
  return null;
}

function isHedge(word: string, text: string, index: number): boolean {
  if (word === '?' || word === 'TODO') return true;
  const lower = word.toLowerCase();
  if (hedgeWords.has(lower) || lower.endsWith("n't") || lower.startsWith('fail')) return true;
  return lower === 'no' && isBare(text, index + word.length);
}

/** "No issues found" takes nothing back; "no" with no word behind it does. */
function isBare(text: string, index: number): boolean {
  anotherWord.lastIndex = index;
  return !anotherWord.test(text);
}

function plain(text: string): string {
  return asItLooks(text).replace(/[’ʼ´‘]/g, "'");
}
