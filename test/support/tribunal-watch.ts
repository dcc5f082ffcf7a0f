import type { Decision } from '../../src/main/domain/tribunal/decide.ts';
import type { Effect } from '../../src/main/domain/tribunal/effect.ts';
import type { TribunalEvent, TurnEnded, TurnExhausted } from '../../src/main/domain/tribunal/event.ts';
import type { LiveTurn, Task } from '../../src/main/domain/tribunal/task.ts';
import { reachedLimit } from '../../src/main/domain/budget/budget.ts';
import type { MessageId, SnapshotId } from '../../src/shared/vocabulary/ids.ts';
import type { Role, TaskState, TurnPurpose } from '../../src/shared/vocabulary/words.ts';

const roleOf: Record<TurnPurpose, Role> = {
  work: 'owner',
  finish: 'owner',
  review: 'reviewer',
  arbitrate: 'arbiter',
};

const purposesIn: Partial<Record<TaskState, readonly [TurnPurpose, LiveTurn['phase']][]>> = {
  active: [
    ['work', 'due'],
    ['work', 'running'],
  ],
  review_ready: [['review', 'due']],
  in_review: [['review', 'running']],
  merge_ready: [
    ['finish', 'due'],
    ['finish', 'running'],
  ],
  arbiter_requested: [['arbitrate', 'due']],
  in_arbitration: [['arbitrate', 'running']],
};

/** Watches one task's decisions and throws at the first that breaks what must always hold. */
export class TribunalWatch {
  /** Messages that no owner has answered yet. */
  #owed: MessageId[];
  /** Content that a reviewer said DONE to. */
  readonly #approved = new Set<SnapshotId | null>();
  #arbitrations = 0;
  #highestTurn: number;

  public constructor(task: Task) {
    this.#owed = [...task.waiting];
    this.#highestTurn = task.turn?.number ?? 0;
    checkState(task);
  }

  public sees(before: Task, event: TribunalEvent, decision: Decision): void {
    const { task, effects, rule } = decision;
    if (rule === null) {
      must(task === before && effects.length === 0, 'an event without a row changes nothing');
      must(event.type !== 'stop_requested' || before.state === 'completed', 'stop has a row in every state');
      must(
        event.type !== 'message_arrived' || before.state === 'completed',
        'a message has a row in every state',
      );
      return;
    }
    must(before.state !== 'completed', 'nothing happens to a completed task');
    if (event.type === 'turn_ended') {
      must(
        isFrom(before.turn, event) && before.turn?.phase === 'running',
        'only the live try can end a turn',
      );
    }
    if (event.type === 'turn_failed') must(isFrom(before.turn, event), 'only the live try can fail');
    if (event.type === 'turn_exhausted') checkExhaustion(before, event, decision);
    checkState(task);
    must(task.budgets >= before.budgets, 'what was granted stays granted');
    this.#checkTurns(before, event, task, effects);
    checkQuestions(before, task, effects);
    this.#checkEnding(before, event, task);
    this.#checkMessages(before, event, task, effects);
    this.#checkArbitrations(event, before, task);
  }

  #checkTurns(before: Task, event: TribunalEvent, task: Task, effects: readonly Effect[]): void {
    const started = effects.flatMap((effect) => (effect.type === 'start_turn' ? [effect.turn] : []));
    must(started.length <= 1, 'at most one turn starts');
    for (const turn of started) {
      must(turn === task.turn && turn.phase === 'due', 'what starts is the live turn');
      const limit = reachedLimit(task.terms.budget, task.budgets, task.spent, task.counters.rounds);
      must(limit === null, 'no turn starts on a used up budget');
    }
    if (task.turn !== null && task.turn.number !== before.turn?.number) {
      must(task.turn.number > this.#highestTurn, 'a turn has a number of its own');
      must(started.length === 1, 'a new turn is started');
      this.#highestTurn = task.turn.number;
    }
    const over = before.turn !== null && task.turn?.number !== before.turn.number;
    const byItself =
      event.type === 'turn_ended' ||
      event.type === 'turn_failed' ||
      event.type === 'turn_exhausted' ||
      event.type === 'host_restarted';
    if (over && !byItself) {
      const { number } = before.turn;
      must(
        effects.some((effect) => effect.type === 'end_turn' && effect.turn === number),
        'what runs on is ended',
      );
    }
  }

  #checkEnding(before: Task, event: TribunalEvent, task: Task): void {
    if (event.type === 'turn_ended' && before.turn?.purpose === 'review' && said(event, 'DONE')) {
      this.#approved.add(before.content);
    }
    if (task.state === 'merge_ready')
      must(this.#approved.has(task.approved), 'only what a review saw is approved');
    switch (task.ending) {
      case 'reviewed':
        must(before.state === 'merge_ready' && event.type === 'turn_ended', 'reviewed by a finishing turn');
        must(isSame(event), 'reviewed only where the content equals the approved');
        must(
          task.approved !== null && this.#approved.has(task.approved),
          'reviewed only what a review approved',
        );
        break;
      case 'unreviewed':
        must(task.terms.mode === 'single' && event.type === 'turn_ended', 'unreviewed in single rooms only');
        break;
      case 'accepted':
        must(event.type === 'person_answered' && event.answer === 'accept', 'accepted by a person only');
        must(
          task.approved !== null && task.approved === before.question?.snapshot,
          'accepted what was shown',
        );
        break;
      case 'stopped':
        must(
          event.type === 'stop_requested' || (event.type === 'person_answered' && event.answer === 'stop'),
          'stopped by a person only',
        );
        break;
      case 'superseded':
        must(
          before.state === 'merge_ready' && event.type === 'message_arrived',
          'superseded by a message only',
        );
        break;
      case null:
        break;
    }
  }

  #checkMessages(before: Task, event: TribunalEvent, task: Task, effects: readonly Effect[]): void {
    if (event.type === 'message_arrived') this.#owed.push(event.message);
    if (event.type === 'person_answered' && event.message !== null) this.#owed.push(event.message);
    if (task.state === 'completed') {
      if (task.ending === 'superseded') {
        must(
          this.#owed.every((id) => effects.some((e) => e.type === 'start_task' && e.message === id)),
          'handed on',
        );
      }
      return;
    }
    const held = [
      ...task.waiting,
      ...(task.turn?.messages ?? []),
      ...(task.question?.back.turn.messages ?? []),
    ];
    const answered =
      event.type === 'turn_ended' && before.turn?.purpose === 'work' ? before.turn.messages : [];
    for (const id of this.#owed) must(held.includes(id) || answered.includes(id), `${id} is not lost`);
    this.#owed = this.#owed.filter((id) => held.includes(id));
  }

  #checkArbitrations(event: TribunalEvent, before: Task, task: Task): void {
    if (event.type === 'person_answered' || event.type === 'message_arrived') this.#arbitrations = 0;
    const called =
      event.type === 'turn_ended' &&
      task.turn?.purpose === 'arbitrate' &&
      before.turn?.purpose !== 'arbitrate';
    if (called) this.#arbitrations += 1;
    must(this.#arbitrations <= 2, 'a third arbitration is a person’s');
  }
}

function checkState(task: Task): void {
  const { turn, question, state } = task;
  must(
    (state === 'completed') === (task.ending !== null),
    'what is completed has an ending, and nothing else',
  );
  if (state === 'completed') {
    must(turn === null && question === null, 'a completed task runs nothing and asks nothing');
  } else if (state === 'awaiting_person') {
    must(turn === null && question !== null, 'a person is asked, and nothing runs');
    const answers = question?.answers ?? [];
    must(answers.includes('stop') && answers.includes('send_back'), 'a question has a way out');
    must(answers.includes('accept') === (question?.snapshot !== null), 'accept only with a snapshot');
    const back = question?.back;
    must(
      back !== undefined && fits(back.state, { ...back.turn, phase: 'due' }),
      'a question knows where it goes back to',
    );
  } else {
    must(question === null && turn !== null && fits(state, turn), `${state} has its turn`);
    must(turn !== null && turn.number < task.nextTurn, 'numbers go up');
  }
  if (state === 'merge_ready')
    must(task.approved !== null && task.waiting.length === 0, 'merge_ready stands on approval');
}

/** An exhaustion is nobody's fault: the same turn goes on, or its budget was used up. */
function checkExhaustion(before: Task, event: TurnExhausted, { task, effects }: Decision): void {
  must(isFrom(before.turn, event), 'only the live try can be exhausted');
  must(task.counters === before.counters, 'an exhaustion counts nowhere');
  if (task.question?.kind === 'budget') return;
  const [start] = effects.filter((effect) => effect.type === 'start_turn');
  must(start?.afterMs === event.afterMs, 'an exhausted turn goes on when something can take it');
  const { number, role, purpose, session, messages } = before.turn ?? {};
  const same = { number, role, purpose, session, messages };
  must(
    Object.entries(same).every(([name, value]) => task.turn?.[name as keyof typeof same] === value),
    'an exhausted turn stays the same turn',
  );
  must(task.reviewed === before.reviewed && task.approved === before.approved, 'and stands on the same');
}

function checkQuestions(before: Task, task: Task, effects: readonly Effect[]): void {
  if (task.question !== null && task.question !== before.question) {
    must(
      effects.some((effect) => effect.type === 'ask' && effect.question === task.question),
      'a question is asked',
    );
    must(task.question.number >= before.nextQuestion, 'a question has a number of its own');
  }
  if (before.question !== null && before.question !== task.question) {
    const { number } = before.question;
    must(
      effects.some((effect) => effect.type === 'close_question' && effect.question === number),
      'a question that is over is closed',
    );
  }
}

function fits(state: TaskState, turn: LiveTurn): boolean {
  const fitting = purposesIn[state] ?? [];
  return (
    turn.role === roleOf[turn.purpose] &&
    fitting.some(([purpose, phase]) => purpose === turn.purpose && phase === turn.phase)
  );
}

function isFrom(turn: LiveTurn | null, event: { readonly turn: number; readonly attempt: number }): boolean {
  return turn !== null && turn.number === event.turn && turn.attempt === event.attempt;
}

function said(event: TurnEnded, verdict: string): boolean {
  return event.reading.kind === 'verdict' && event.reading.verdict === verdict;
}

function isSame(event: TribunalEvent): boolean {
  return (
    event.type === 'turn_ended' && event.content?.kind === 'snapshot' && event.content.equalsApproved === true
  );
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`This must always hold: ${what}.`);
}
