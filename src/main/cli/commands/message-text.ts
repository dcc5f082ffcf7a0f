import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { Person } from '../person.ts';

/** On the command line: read it from standard input. */
const FROM_INPUT = '-';

/** What a person wrote: on the command line, or on standard input where that has `-` or nothing. */
export async function readMessage(person: Person, words: readonly string[]): Promise<Result<string>> {
  const fromInput = words.length === 0 || (words.length === 1 && words[0] === FROM_INPUT);
  if (words.length === 0 && person.atTerminal) return err(nothingSaid);
  const text = (fromInput ? await person.read() : words.join(' ')).trim();
  return text === '' ? err(nothingSaid) : ok(text);
}

const nothingSaid = {
  tag: 'usage',
  message: 'There is no message.',
  next: 'Write it behind the command, in quotes, or give it on standard input.',
};
