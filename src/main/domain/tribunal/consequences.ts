import type { MessageId } from '../../../shared/vocabulary/ids.ts';
import { oneMoreBudget } from '../budget/budget.ts';
import { MAX_PAUSE_MS, MAX_RETRIES, retryDelayMs } from '../schedule/retry.ts';
import type { Effect } from './effect.ts';
import { snapshotOf } from './conditions.ts';
import type { TurnEnded, TurnExhausted, TurnFailed } from './event.ts';
import { CHANGED_FINISHES, ROUNDS_WITHOUT_PROGRESS } from './limits.ts';
import {
  after,
  again,
  arbiterOrPerson,
  askPerson,
  complete,
  due,
  noCounters,
  ownerWorks,
  review,
  running,
} from './moves.ts';
import type { Move } from './moves.ts';
import {
  madeProgress,
  withDecreedCriteria,
  withOverruled,
  withProposedCriteria,
  withReply,
  withReview,
} from './review.ts';
import type { Ask, LiveTurn, Question, QuestionKind, Task } from './task.ts';

/** The task gives way to a new one, which stands on the approved content. */
export function supersede(task: Task, message: MessageId, text: string): Move {
  if (task.approved === null) throw new Error(`${task.id} is ready to finish, but nothing is approved.`);
  const ending = keepingContent(complete(task, 'superseded'));
  const next: Effect = { type: 'start_task', message, text, base: task.approved };
  return { task: ending.task, effects: [...ending.effects, next] };
}

export function stop(task: Task): Move {
  return keepingContent(complete(task, 'stopped'));
}

/** The content that the person was shown counts as approved. */
export function accept(task: Task, question: Question): Move {
  return closing(question, complete({ ...reopened(task), approved: question.snapshot }, 'accepted'));
}

export function stopAsAnswered(task: Task, question: Question): Move {
  return closing(question, stop(reopened(task)));
}

/** The owner works on, with the person's words and with what its unfinished turn had been given. */
export function sendBack(task: Task, question: Question, message: MessageId | null): Move {
  const unanswered = question.back.turn.messages;
  const waiting = [...unanswered, ...task.waiting, ...(message === null ? [] : [message])];
  return closing(question, ownerWorks({ ...granted(task, question), waiting: [...new Set(waiting)] }));
}

/** The state gone back to, with the turn that was held or failed; words that came along wait for the owner. */
export function goBack(task: Task, question: Question, message: MessageId | null): Move {
  const waiting = message === null ? task.waiting : [...task.waiting, message];
  return closing(
    question,
    due(granted({ ...task, waiting }, question), { ...question.back.turn, attempt: 1 }),
  );
}

/**
 * The due turn starts; an owner at work is given all that waits. One that starts over has no content yet. A further
 * try may go on in the session of the one before, which has its prompt: what came since is offered to it while it runs.
 */
export function started(task: Task, turn: LiveTurn): Move {
  if (turn.purpose !== 'work') return running(task, turn);
  const content = turn.workspace === 'reset' ? null : task.content;
  if (turn.attempt > 1) return running({ ...task, content }, turn);
  const messages = [...new Set([...turn.messages, ...task.waiting])];
  return running({ ...task, content, waiting: [] }, { ...turn, messages });
}

/** The same turn again after a pause, five times; then a person. */
export function retry(task: Task, turn: LiveTurn, reason: string, atLeastMs: number): Move {
  const { retries } = task.counters;
  if (retries >= MAX_RETRIES) return askPerson(task, 'kept_failing', reason, turn);
  const counted = { ...task, counters: { ...task.counters, retries: retries + 1 } };
  return again(counted, turn, Math.max(retryDelayMs(retries), Math.min(atLeastMs, MAX_PAUSE_MS)));
}

/** The reviewer's session is asked again for what its answer lacked. */
export function askReviewer(task: Task, event: TurnEnded, ask: Ask): Move {
  return due({ ...withReply(task, event), asked: [...task.asked, ask] }, { purpose: 'review', ask });
}

export function askArbiter(task: Task): Move {
  return due({ ...task, asked: [...task.asked, 'verdict'] }, { purpose: 'arbitrate', ask: 'verdict' });
}

/** A round: back to the owner, or to the arbiter once the rounds bring no progress. */
export function feedback(task: Task, event: TurnEnded): Move {
  const reviewed = withReview(task, event);
  const roundsWithoutProgress = madeProgress(task, reviewed) ? 0 : task.counters.roundsWithoutProgress + 1;
  const counters = { ...task.counters, rounds: task.counters.rounds + 1, roundsWithoutProgress };
  const counted = { ...reviewed, counters };
  return roundsWithoutProgress >= ROUNDS_WITHOUT_PROGRESS
    ? arbiterOrPerson(counted, 'review', 'deadlock', event.text)
    : ownerWorks(counted);
}

/** Approved content was changed while finishing: reviewed again as a round, the second time in a row a matter for the arbiter. */
export function changedFinish(task: Task, event: TurnEnded): Move {
  const changedFinishes = task.counters.changedFinishes + 1;
  const counters = { ...task.counters, rounds: task.counters.rounds + 1, changedFinishes };
  const changed = { ...withOwnerResult(task, event), approved: null, counters };
  return changedFinishes >= CHANGED_FINISHES
    ? arbiterOrPerson(changed, 'review', 'deadlock', 'approved work was changed again while finishing.')
    : review(changed);
}

/** What an owner's turn leaves: its content, and in the first turn its proposed criteria. */
export function withOwnerResult(task: Task, event: TurnEnded): Task {
  return withProposedCriteria(withContentOf(task, event), event.report.criteria);
}

/** What an owner had made by the end of a try, whether or not the try came to anything. */
export function withContentOf(task: Task, event: TurnEnded | TurnFailed | TurnExhausted): Task {
  const made = event.type === 'turn_ended' ? snapshotOf(event) : event.content;
  return made === null ? task : { ...task, content: made };
}

/** The arbiter's words bind from here on; what it overruled is set aside for good. */
export function withRuling(task: Task, event: TurnEnded): Task {
  const { criteria, dropped, overruled } = event.report;
  const decreed = withDecreedCriteria(task, 'arbiter', criteria, dropped);
  return { ...withOverruled(decreed, overruled), ruling: event.text };
}

/** After REVISE and RESET the rounds begin anew; how often the arbiter has been called still counts. */
export function withFreshRounds(task: Task): Task {
  return { ...task, counters: { ...noCounters, arbitrations: task.counters.arbitrations } };
}

export function withWaiting(task: Task, message: MessageId): Task {
  return { ...task, waiting: [...task.waiting, message] };
}

export function withTaken(task: Task, turn: LiveTurn, message: MessageId): Task {
  return {
    ...task,
    waiting: task.waiting.filter((waiting) => waiting !== message),
    turn: { ...turn, messages: [...turn.messages, message] },
  };
}

function closing(question: Question, move: Move): Move {
  return after([{ type: 'close_question', question: question.number }], move);
}

function reopened(task: Task): Task {
  return { ...task, question: null, counters: noCounters };
}

/** Words or "go on" at a reached budget grant one more: without it nothing could be done with them. */
function granted(task: Task, question: Question): Task {
  const { terms, budgets, spent } = task;
  const grown = question.kind === 'budget' ? oneMoreBudget(terms.budget, budgets, spent) : budgets;
  return { ...reopened(task), budgets: grown };
}

function keepingContent(move: Move): Move {
  return { task: move.task, effects: [...move.effects, { type: 'keep_content' }] };
}

/** Asks a person about the live turn, which "try again" or "go on" starts anew. */
export function askAboutTurn(task: Task, turn: LiveTurn, kind: QuestionKind, reason: string): Move {
  return askPerson(task, kind, reason, turn, kind === 'budget' ? turn.wrappingUp : null);
}
