import type { EscalationView } from '../../../shared/contract/views.ts';
import type { Answer } from '../../../shared/vocabulary/words.ts';

/** What each answer means, for the person who chooses. */
export const answerWords: Record<Answer, string> = {
  accept: 'Accept the work as it is',
  send_back: 'Answer it, or send it back, with words',
  try_again: 'Try again',
  go_on: 'Go on',
  allow: 'Allow it',
  refuse: 'Refuse it; words tell the agent why',
  stop: 'Stop the task',
};

/** Whether a running turn asks for leave, and waits for the answer. */
export function isPermission({ answers }: EscalationView): boolean {
  return answers.includes('allow');
}

/** Whether an answer says nothing without words. */
export function needsWords(answer: Answer): boolean {
  return answer === 'send_back';
}

/** Whether anybody would read words that come with an answer: not where the task ends with it, or goes on as it was. */
export function takesWords(answer: Answer): boolean {
  return answer !== 'accept' && answer !== 'allow' && answer !== 'stop';
}

/** The commands that answer a question. */
export function answerCommands(escalation: EscalationView): string[] {
  return escalation.answers.map(
    (answer) => `tribune answer ${escalation.id} ${answer}${needsWords(answer) ? ' "…"' : ''}`,
  );
}
