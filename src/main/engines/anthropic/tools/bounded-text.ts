/** A text of at most so many characters; of a longer one the beginning and the end, and how much is missing. */
export function bounded(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const head = Math.floor(characters / 2);
  const tail = characters - head;
  const missing = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${missing} characters left out …]\n${text.slice(-tail)}`;
}
