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

/** What can go on from "no" to a thing: "no issues found", "no *real* issues". Not a bracket, a quotation or an emphasis alone. */
const aThing = /\s+(?:[*_`]{1,3}[\p{L}\p{N}]{1,40}[*_`]{1,3}\s+)?([\p{L}\p{N}]{1,40})/uy;

/** Words that begin a new clause, never a thing that there is none of: "no it leaks", "no really". */
const clauseOpeners: ReadonlySet<string> = new Set(
  `i we you he she it they this that these those there the a an my your our see look really sorry please and or
  because since so is are was were do does did yes no`.split(/\s+/),
);

/** What people begin with who are not sure. */
const doubt =
  /^[^\p{L}\p{N}]*(i\s+(?:think|guess|believe|suppose)|hopefully|presumably|supposedly)(?![\p{L}\p{N}])/iu;
const nothingMore = /^[^\p{L}\p{N},]*$|^\s*[.!;]/u;

/** Accents that stand alone; taken apart, they would leave a white space where an apostrophe was meant. */
const accentAlone = /[\u00B4\u0384\u1FBD\u1FBF\u1FFD\u1FFE]/g;
/** Whatever sign stands for the apostrophe in "isn't". */
const contraction = /(?<=n)[^\p{Lu}\p{Ll}\p{N}\s]{1,3}(?=t(?![\p{L}\p{N}]))/giu;

/** How much of a neighbouring line is looked at. */
const EDGE_CHARACTERS = 200;

/** The first word or sign in a remark that takes an approval back, or null. */
export function hedgeIn(remark: string): string | null {
  const sign = emojiOfDoubt.exec(remark);
  if (sign !== null) return sign[0];
  const text = plain(remark);
  for (const found of text.matchAll(token)) {
    if (isHedge(found[0], text, found.index)) return found[0];
  }
  return withConcernsIn(text);
}

/**
 * The doubt that a remark begins with, as in "DONE, I think", or null. A sentence of its own goes on to say what it
 * is that somebody thinks, so there only the bare words are doubt: "DONE. I think."
 */
export function doubtOpening(remark: string, isSentence: boolean): string | null {
  const text = plain(remark);
  const found = doubt.exec(text);
  if (found?.[1] === undefined) return null;
  return isSentence && !nothingMore.test(text.slice(found[0].length)) ? null : found[1];
}

/** The hedge that a line opens with, as in "But the error path leaks", or null. */
export function hedgeOpening(line: string): string | null {
  const text = plain(withoutMarks(line.slice(0, EDGE_CHARACTERS)));
  const first = firstToken(text);
  if (first === null) return null;
  const sign = emojiOfDoubt.exec(text.slice(0, first.index));
  if (sign !== null) return sign[0];
  if (isHedge(first.word, text, first.index)) return first.word;
  return first.word.toLowerCase() === 'with' ? withConcernsIn(plain(line)) : null;
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

/** "with … concerns / issues" in one clause; "with no issues" takes nothing back. */
function withConcernsIn(text: string): string | null {
  let within = false;
  for (const [word] of text.matchAll(token)) {
    const lower = word.toLowerCase();
    if (within && /^(?:concern|issue)s?$/.test(lower)) return `with … ${word}`;
    if (lower === 'with') within = true;
    else if (/^(?:no|zero|0|[.;:!])$/.test(lower)) within = false;
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

/** "No issues found" takes nothing back; "no" with no thing behind it does. */
function isBare(text: string, index: number): boolean {
  aThing.lastIndex = index;
  const thing = aThing.exec(text)?.[1];
  return thing === undefined || clauseOpeners.has(thing.toLowerCase());
}

function plain(text: string): string {
  return asItLooks(text.replace(accentAlone, "'")).replace(contraction, "'");
}
