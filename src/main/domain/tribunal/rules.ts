import type { MessageId } from '../../../shared/vocabulary/ids.ts';
import type { Answer } from '../../../shared/vocabulary/words.ts';
import type { TribunalEvent } from './event.ts';
import {
  canAsk,
  ended,
  equalsApproved,
  failed,
  isLive,
  isLiveTry,
  isStuck,
  keepsMessagesWaiting,
  says,
  snapshotOf,
  whyUnknown,
} from './conditions.ts';
import {
  accept,
  askAboutTurn,
  askArbiter,
  askReviewer,
  changedFinish,
  feedback,
  goBack,
  retry,
  sendBack,
  started,
  stop,
  stopAsAnswered,
  supersede,
  withContentOf,
  withFreshRounds,
  withOwnerResult,
  withRuling,
  withTaken,
  withWaiting,
} from './consequences.ts';
import {
  again,
  arbiterOrPerson,
  askPerson,
  complete,
  finish,
  noCounters,
  only,
  ownerWorks,
  review,
  startOver,
} from './moves.ts';
import type { Move } from './moves.ts';
import { standsAgainstDone, withAtLeastOneCriterion, withDecreedCriteria, withReview } from './review.ts';
import type { LiveTurn, Question, Task } from './task.ts';

type EventOf<T extends TribunalEvent['type']> = Extract<TribunalEvent, { type: T }>;

/** A row of the table: `name` is its sentence. */
export interface Rule {
  readonly name: string;
  /** The move that follows, or null where the row does not match. */
  apply(task: Task, event: TribunalEvent): Move | null;
}

/**
 * Every rule of the tribunal, in order: the first row that matches wins, and an event without a row changes
 * nothing. What a row sets going, such as `review` or `feedback`, is in moves.ts and consequences.ts under that
 * name; the numbers are in limits.ts.
 *
 * What is no row: what starts a task (start.ts); that a budget reached before a turn starts asks a person instead
 * (moves.ts, `start`); what counts as progress, and what blocks (review.ts); which answers each question takes
 * (questions.ts).
 */
export const rules: readonly Rule[] = [
  // Messages
  onTurn('a message while merge_ready: a new task on the approved content', 'message_arrived', {
    when: (task) => task.state === 'merge_ready',
    then: (task, { message, text }) => supersede(task, message, text),
  }),
  onQuestion('a message while a person is asked: sent back with these words', 'message_arrived', {
    when: () => true,
    then: (task, { message }, question) => sendBack(task, question, message),
  }),
  onTurn('a message while the owner works: offered to the turn, else for its next one', 'message_arrived', {
    when: (task, _, turn) => task.state === 'active' && turn.phase === 'running',
    then: (task, { message }, turn) => ({
      task: { ...withWaiting(task, message), counters: noCounters },
      effects: [{ type: 'offer_message', turn: turn.number, message }],
    }),
  }),
  onTurn('a message before the owner starts: the turn has it', 'message_arrived', {
    when: (task) => task.state === 'active',
    then: (task, { message }) => only({ ...withWaiting(task, message), counters: noCounters }),
  }),
  onTurn('a message while review or arbitration is due or running: kept for the owner', 'message_arrived', {
    when: () => true,
    then: (task, { message }) => only(withWaiting(task, message)),
  }),
  onTurn('the running owner took a message', 'message_taken', {
    when: (task, event, turn) =>
      isLive(task, event.turn) && turn.purpose === 'work' && task.waiting.includes(event.message),
    then: (task, { message }, turn) => only(withTaken(task, turn, message)),
  }),

  // The person
  onTask('stop, in any state: content kept', 'stop_requested', {
    when: (task) => task.state !== 'completed',
    then: stop,
  }),
  onAnswer('a person accepts (only with a snapshot): done, accepted', 'accept', accept),
  onAnswer("a person sends back with words: owner's turn", 'send_back', sendBack),
  onAnswer('a person says try again: the state gone back to', 'try_again', goBack),
  onAnswer('a person says go on: the held step, at a budget one more', 'go_on', goBack),
  onAnswer('a person answers stop: content kept', 'stop', stopAsAnswered),

  // The life of a turn
  onTurn('the due turn starts', 'turn_started', {
    when: (_, event, turn) => turn.number === event.turn && turn.phase === 'due',
    then: (task, { base }, turn) => started({ ...task, base: task.base ?? base }, turn),
  }),
  onTurn('a budget is reached: the live turn may wrap up', 'budget_reached', {
    when: (task, event, turn) => isLive(task, event.turn) && turn.wrappingUp === null,
    then: (task, { limit }, turn) => ({
      task: { ...task, turn: { ...turn, wrappingUp: limit } },
      effects: [{ type: 'wrap_up', turn: turn.number, limit }],
    }),
  }),
  onTurn('the host died: the running turn runs again, counters as they were', 'host_restarted', {
    when: (_task, _event, turn) => turn.phase === 'running',
    then: (task, _, turn) => again(task, turn, 0),
  }),

  // Failures
  onTurn(
    'what a turn runs on is used up: the same turn again, at once where another account or engine can take it, else at the earliest reset; counters as they were',
    'turn_exhausted',
    {
      when: failed,
      then: (task, event, turn) => again(withContentOf(task, event), turn, event.afterMs),
    },
  ),
  onTurn('the grace after a reached budget is used up: a person', 'turn_failed', {
    when: (task, event) => failed(task, event) && event.cut,
    then: (task, event, turn) => askAboutTurn(withContentOf(task, event), turn, 'budget', event.reason),
  }),
  onTurn('a turn fails for good: a person at once', 'turn_failed', {
    when: (task, event) => failed(task, event) && event.forGood,
    then: (task, event, turn) => askAboutTurn(withContentOf(task, event), turn, 'failed', event.reason),
  }),
  onTurn('a snapshot of the work is impossible: a person at once', 'turn_ended', {
    when: (task, event) => ended(task, event, 'work') && snapshotOf(event) === null,
    then: (task, event, turn) => askAboutTurn(task, turn, 'failed', whyUnknown(event)),
  }),
  onTurn('a review or arbitration fails while a message waits: the owner has it', 'turn_failed', {
    when: (task, event) => failed(task, event) && keepsMessagesWaiting(task),
    then: (task) => ownerWorks({ ...task, counters: noCounters }),
  }),
  onTurn('a turn fails otherwise: again after 5 s × 2ⁿ, five times; then a person', 'turn_failed', {
    when: failed,
    then: (task, event, turn) =>
      retry(withContentOf(task, event), turn, event.reason, event.retryAfterMs ?? 0),
  }),
  onTurn('a turn ends without visible output: as a failure', 'turn_ended', {
    when: (task, event, turn) =>
      isLiveTry(task, event) && !event.visible && turn.purpose !== 'finish' && !keepsMessagesWaiting(task),
    then: (task, event, turn) =>
      retry(withContentOf(task, event), turn, 'It ended without saying anything.', 0),
  }),

  // The owner's turn
  onTurn('the owner ends while a message waits: its next turn, before any review', 'turn_ended', {
    when: (task, event) => ended(task, event, 'work') && task.waiting.length > 0,
    then: (task, event) => ownerWorks(withOwnerResult(task, event)),
  }),
  onTurn('single room, owner BLOCKED or NEEDS_CONTEXT: a person', 'turn_ended', {
    when: (task, event) => ended(task, event, 'work') && task.terms.mode === 'single' && isStuck(event),
    then: (task, event) =>
      askPerson(withOwnerResult(task, event), 'blocked', event.text, { purpose: 'work' }),
  }),
  onTurn('single room, owner ends: done, unreviewed', 'turn_ended', {
    when: (task, event) => ended(task, event, 'work') && task.terms.mode === 'single',
    then: (task, event) => complete(withOwnerResult(task, event), 'unreviewed'),
  }),
  onTurn(
    'owner BLOCKED or NEEDS_CONTEXT: the arbiter; without one, or the third time, a person',
    'turn_ended',
    {
      when: (task, event) => ended(task, event, 'work') && isStuck(event),
      then: (task, event) => arbiterOrPerson(withOwnerResult(task, event), 'owner', 'blocked', event.text),
    },
  ),
  onTurn('owner ends otherwise: review', 'turn_ended', {
    when: (task, event) => ended(task, event, 'work'),
    then: (task, event) => review(withAtLeastOneCriterion(withOwnerResult(task, event))),
  }),

  // The review
  onTurn('the review ends while a message waits: the owner, before any merge_ready', 'turn_ended', {
    when: (task, event) => ended(task, event, 'review') && task.waiting.length > 0,
    then: (task, event) => ownerWorks({ ...withReview(task, event), counters: noCounters }),
  }),
  onTurn('review without a readable verdict: asked once for it', 'turn_ended', {
    when: (task, event) =>
      ended(task, event, 'review') && event.reading.kind === 'none' && canAsk(task, 'verdict'),
    then: (task, event) => askReviewer(task, event, 'verdict'),
  }),
  onTurn('review DONE against its own criteria or findings: asked once', 'turn_ended', {
    when: (task, event) =>
      ended(task, event, 'review') &&
      says(event, 'DONE') &&
      standsAgainstDone(withReview(task, event)) &&
      canAsk(task, 'verdict'),
    then: (task, event) => askReviewer(task, event, 'verdict'),
  }),
  onTurn('review DONE: merge_ready, one finishing turn', 'turn_ended', {
    when: (task, event) =>
      ended(task, event, 'review') && says(event, 'DONE') && !standsAgainstDone(withReview(task, event)),
    then: (task, event) => finish({ ...withReview(task, event), approved: task.content }),
  }),
  onTurn('review with concerns of which none blocks: asked once to decide', 'turn_ended', {
    when: (task, event) =>
      ended(task, event, 'review') &&
      says(event, 'DONE_WITH_CONCERNS') &&
      !standsAgainstDone(withReview(task, event)) &&
      canAsk(task, 'decision'),
    then: (task, event) => askReviewer(task, event, 'decision'),
  }),
  onTurn(
    'review BLOCKED or NEEDS_CONTEXT: the arbiter; without one, or the third time, a person',
    'turn_ended',
    {
      when: (task, event) => ended(task, event, 'review') && isStuck(event),
      then: (task, event) => arbiterOrPerson(withReview(task, event), 'review', 'blocked', event.text),
    },
  ),
  onTurn(
    'concerns or feedback: the owner; after 3 rounds without progress the arbiter; without one, or the third time, a person',
    'turn_ended',
    {
      when: (task, event) => ended(task, event, 'review'),
      then: feedback,
    },
  ),

  // The finishing turn
  onTurn(
    'finishing turn BLOCKED or NEEDS_CONTEXT: the arbiter; without one, or the third time, a person',
    'turn_ended',
    {
      when: (task, event) => ended(task, event, 'finish') && isStuck(event),
      then: (task, event) => arbiterOrPerson(withOwnerResult(task, event), 'owner', 'blocked', event.text),
    },
  ),
  onTurn('finishing turn ends, content equals the approved: done, reviewed', 'turn_ended', {
    when: (task, event) => ended(task, event, 'finish') && equalsApproved(event) === true,
    then: (task, event) => complete(withContentOf(task, event), 'reviewed'),
  }),
  onTurn(
    'finishing turn ends, content differs: reviewed again; the second in a row: the arbiter; without one, or the third time, a person',
    'turn_ended',
    {
      when: (task, event) => ended(task, event, 'finish') && equalsApproved(event) === false,
      then: changedFinish,
    },
  ),
  onTurn('finishing turn ends, and it cannot be told: a person, never done', 'turn_ended', {
    when: (task, event) => ended(task, event, 'finish'),
    then: (task, event, turn) => askAboutTurn(task, turn, 'cannot_compare', whyUnknown(event)),
  }),

  // The arbitration
  onTurn('arbiter REVISE: the owner, under the ruling', 'turn_ended', {
    when: (task, event) => ended(task, event, 'arbitrate') && says(event, 'REVISE'),
    then: (task, event) => ownerWorks(withFreshRounds(withRuling(task, event))),
  }),
  onTurn('arbiter RESET in a directory worked in directly: a person confirms', 'turn_ended', {
    when: (task, event) => ended(task, event, 'arbitrate') && says(event, 'RESET') && task.terms.direct,
    then: (task, event) =>
      askPerson(withFreshRounds(withRuling(task, event)), 'reset', event.text, startOver),
  }),
  onTurn('arbiter RESET: worktree back to the base, a fresh owner', 'turn_ended', {
    when: (task, event) => ended(task, event, 'arbitrate') && says(event, 'RESET'),
    then: (task, event) => ownerWorks(withFreshRounds(withRuling(task, event)), startOver),
  }),
  onTurn('an arbitration ends otherwise while a message waits: the owner has it', 'turn_ended', {
    when: (task, event) => ended(task, event, 'arbitrate') && task.waiting.length > 0,
    then: (task, event) =>
      ownerWorks({ ...(says(event, 'PROCEED') ? withRuling(task, event) : task), counters: noCounters }),
  }),
  onTurn('arbiter PROCEED after an owner was blocked: the owner, under the ruling', 'turn_ended', {
    when: (task, event) =>
      ended(task, event, 'arbitrate') && says(event, 'PROCEED') && task.arbitrationAfter === 'owner',
    then: (task, event) => ownerWorks(withRuling(task, event)),
  }),
  onTurn('arbiter PROCEED after a review: the reviewer confirms within the ruling', 'turn_ended', {
    when: (task, event) => ended(task, event, 'arbitrate') && says(event, 'PROCEED'),
    then: (task, event) => review(withRuling(task, event)),
  }),
  onTurn('arbiter ESCALATE: a person', 'turn_ended', {
    when: (task, event) => ended(task, event, 'arbitrate') && says(event, 'ESCALATE'),
    then: (task, event) => askPerson(task, 'ruling', event.text, { purpose: 'work' }),
  }),
  onTurn('nothing readable from the arbiter: asked once', 'turn_ended', {
    when: (task, event) => ended(task, event, 'arbitrate') && canAsk(task, 'verdict'),
    then: askArbiter,
  }),
  onTurn('nothing readable twice: a person', 'turn_ended', {
    when: (task, event) => ended(task, event, 'arbitrate'),
    then: (task, event) => askPerson(task, 'unclear', event.text, { purpose: 'arbitrate', session: 'fresh' }),
  }),
];

/** A row about the task as such. */
function onTask<T extends TribunalEvent['type']>(
  name: string,
  type: T,
  row: {
    readonly when: (task: Task, event: EventOf<T>) => boolean;
    readonly then: (task: Task, event: EventOf<T>) => Move;
  },
): Rule {
  const isOfType = (event: TribunalEvent): event is EventOf<T> => event.type === type;
  return {
    name,
    apply: (task, event) => (isOfType(event) && row.when(task, event) ? row.then(task, event) : null),
  };
}

/** A row about the turn that is due or running. */
function onTurn<T extends TribunalEvent['type']>(
  name: string,
  type: T,
  row: {
    readonly when: (task: Task, event: EventOf<T>, turn: LiveTurn) => boolean;
    readonly then: (task: Task, event: EventOf<T>, turn: LiveTurn) => Move;
  },
): Rule {
  const isOfType = (event: TribunalEvent): event is EventOf<T> => event.type === type;
  return {
    name,
    apply: (task, event) =>
      task.turn !== null && isOfType(event) && row.when(task, event, task.turn)
        ? row.then(task, event, task.turn)
        : null,
  };
}

/** A row about the question that waits for a person. */
function onQuestion<T extends TribunalEvent['type']>(
  name: string,
  type: T,
  row: {
    readonly when: (task: Task, event: EventOf<T>, question: Question) => boolean;
    readonly then: (task: Task, event: EventOf<T>, question: Question) => Move;
  },
): Rule {
  const isOfType = (event: TribunalEvent): event is EventOf<T> => event.type === type;
  return {
    name,
    apply: (task, event) =>
      task.question !== null && isOfType(event) && row.when(task, event, task.question)
        ? row.then(task, event, task.question)
        : null,
  };
}

/** A row about one answer to the question that waits. The criteria that come with it hold from then on. */
function onAnswer(
  name: string,
  answer: Answer,
  then: (task: Task, question: Question, message: MessageId | null) => Move,
): Rule {
  return onQuestion(name, 'person_answered', {
    when: (_, event, question) =>
      event.answer === answer && event.question === question.number && question.answers.includes(answer),
    then: (task, { criteria, dropped, message }, question) =>
      then(withDecreedCriteria(task, 'person', criteria, dropped), question, message),
  });
}
