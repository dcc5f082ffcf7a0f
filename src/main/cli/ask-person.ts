import type { EscalationView } from '../../shared/contract/views.ts';
import type { Answer } from '../../shared/vocabulary/words.ts';
import type { Context } from './context.ts';
import { indented } from './rendering/values.ts';
import { answerWords, needsWords, takesWords } from './rendering/questions.ts';

export interface PersonsAnswer {
  readonly answer: Answer;
  readonly text: string;
}

/** Asks the person at the terminal; null where they give no answer, or the signal takes the question back. */
export async function askPerson(
  { screen, person }: Context,
  escalation: EscalationView,
  signal: AbortSignal,
): Promise<PersonsAnswer | null> {
  const { answers } = escalation;
  const choices = answers.map(
    (answer, at) => `  ${screen.colours.bold(String(at + 1))}  ${answerWords[answer]}`,
  );
  screen.tell(['', ...indented(escalation.text, ''), ...choices]);
  for (;;) {
    const typed = await person.ask(`Your answer (1 to ${answers.length}, empty to answer later): `, signal);
    if (typed === null || typed.trim() === '') return null;
    const answer = answers[Number(typed) - 1] ?? answers.find((known) => known === typed.trim());
    if (answer === undefined) {
      screen.tell([`"${typed.trim()}" is none of them.`]);
      continue;
    }
    const text = await wordsFor(answer, person, signal);
    if (text !== null) return { answer, text };
  }
}

/** The words that go with an answer; null where it needs some and gets none. */
async function wordsFor(
  answer: Answer,
  person: Context['person'],
  signal: AbortSignal,
): Promise<string | null> {
  if (!takesWords(answer)) return '';
  const prompt = needsWords(answer) ? 'What should be done? ' : 'Words to go with it (may be empty): ';
  const typed = (await person.ask(prompt, signal))?.trim() ?? '';
  return typed === '' && needsWords(answer) ? null : typed;
}
