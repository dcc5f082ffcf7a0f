import { counted } from '../../../shared/kernel/text.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { Answer, BudgetLimit } from '../../../shared/vocabulary/words.ts';
import { MAX_RETRIES } from '../schedule/retry.ts';
import { MAX_ARBITRATIONS } from './limits.ts';
import type { QuestionKind } from './task.ts';

/** What a person can answer. Accepting needs something to accept; a held step is gone on with, any other is tried again. */
export function answersTo(kind: QuestionKind, content: SnapshotId | null): readonly Answer[] {
  const held = kind === 'budget' || kind === 'reset';
  return [
    ...(content === null ? [] : ['accept' as const]),
    'send_back',
    held ? 'go_on' : 'try_again',
    'stop',
  ];
}

/** What the person reads. `reason` is what happened, in the words of whoever knows. */
export function questionText(kind: QuestionKind, reason: string, limit: BudgetLimit | null): string {
  switch (kind) {
    case 'failed':
      return `A turn cannot go on until something is changed: ${reason}`;
    case 'kept_failing':
      return `A turn failed ${counted(MAX_RETRIES + 1, 'time')} in a row. The last time: ${reason}`;
    case 'blocked':
      return `The work is blocked: ${reason}`;
    case 'deadlock':
      return `Owner and reviewer make no progress: ${reason}`;
    case 'unclear':
      return `The arbiter gave no readable ruling: ${reason}`;
    case 'ruling':
      return `The arbiter asks for you: ${reason}`;
    case 'arbitrations':
      return `The arbiter has ruled ${counted(MAX_ARBITRATIONS, 'time')}, and the task is stuck again: ${reason}`;
    case 'budget':
      return `The task has used up its budget of ${limit === null ? 'turns' : limitWords[limit]}. ${reason} Going on, or sending it back with words, grants one more.`;
    case 'cannot_compare':
      return `Whether the work is still what was approved could not be told: ${reason}`;
    case 'reset':
      return `The arbiter wants to start over, which would put the directory that the room works in back to its content before the task: ${reason}`;
  }
}

const limitWords: Record<BudgetLimit, string> = {
  usd: 'money',
  tokens: 'tokens',
  minutes: 'running time',
  rounds: 'rounds',
};
