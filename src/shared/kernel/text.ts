/** A text that is no longer than so many characters; one that had to be cut ends in `…`. */
export function clipped(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
}

/** The first line of a text that says anything, clipped. */
export function firstLine(text: string, maxCharacters: number): string {
  const [line = ''] = text.trimStart().split('\n');
  return clipped(line.trimEnd(), maxCharacters);
}

/** A text of at most so many characters; of a longer one the beginning and the end, and how much is missing. */
export function bounded(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const head = Math.floor(characters / 2);
  const tail = characters - head;
  const missing = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${missing} characters left out …]\n${text.slice(-tail)}`;
}

/** A number with its noun: `1 file`, `2 files`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
