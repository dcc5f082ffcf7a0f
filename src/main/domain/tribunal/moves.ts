import type { BudgetLimit, Ending, Role, TaskState, TurnPurpose } from '../../../shared/vocabulary/words.ts';
import { reachedLimit } from '../budget/budget.ts';
import type { Effect } from './effect.ts';
import { MAX_ARBITRATIONS } from './limits.ts';
import { answersTo, questionText } from './questions.ts';
import type { Back, Counters, Impasse, LiveTurn, QuestionKind, Task } from './task.ts';

/** What follows from an event: the task as it is then, and what an actor has to do. */
export interface Move {
  readonly task: Task;
  readonly effects: readonly Effect[];
}

/** Nothing but a changed task. */
export function only(task: Task): Move {
  return { task, effects: [] };
}

/** Puts effects in front of a move's own. */
export function after(effects: readonly Effect[], move: Move): Move {
  return { task: move.task, effects: [...effects, ...move.effects] };
}

export const noCounters: Counters = {
  rounds: 0,
  roundsWithoutProgress: 0,
  retries: 0,
  arbitrations: 0,
  changedFinishes: 0,
};

/** The state in which each turn waits to start, and in which it runs. */
const stateOf: Record<TurnPurpose, { readonly due: Back['state']; readonly running: TaskState }> = {
  work: { due: 'active', running: 'active' },
  finish: { due: 'merge_ready', running: 'merge_ready' },
  review: { due: 'review_ready', running: 'in_review' },
  arbitrate: { due: 'arbiter_requested', running: 'in_arbitration' },
};

/** What is known of a turn before it has a number; what is left out is as for any turn's first try. */
type TurnPlan = Pick<LiveTurn, 'purpose'> & Partial<Omit<LiveTurn, 'number' | 'phase' | 'role'>>;

/** A turn is due. Where a budget is used up, a person is asked instead. */
export function due(task: Task, plan: TurnPlan): Move {
  const counters = { ...task.counters, retries: 0 };
  return start({ ...task, counters, nextTurn: task.nextTurn + 1 }, planned(task, plan), 0);
}

/** The live turn is tried again. */
export function again(task: Task, turn: LiveTurn, afterMs: number): Move {
  return start(task, { ...turn, phase: 'due', attempt: turn.attempt + 1 }, afterMs);
}

/** The live turn runs. */
export function running(task: Task, turn: LiveTurn): Move {
  return only({ ...task, state: stateOf[turn.purpose].running, turn: { ...turn, phase: 'running' } });
}

/** The owner works, with everything that waits for it. */
export function ownerWorks(task: Task, plan: Partial<TurnPlan> = {}): Move {
  return due({ ...task, asked: [], approved: null }, { ...plan, purpose: 'work' });
}

/** The newest content is reviewed. */
export function review(task: Task): Move {
  return due({ ...task, asked: [] }, { purpose: 'review' });
}

/** The owner gets one turn to finish what was approved. */
export function finish(task: Task): Move {
  return due({ ...task, asked: [] }, { purpose: 'finish' });
}

/** The plan of an owner's turn that begins again from the base, in a session that knows nothing of before. */
export const startOver = { purpose: 'work', session: 'fresh', workspace: 'reset' } as const;

/** The arbiter is called, fresh each time; without one, or the third time, a person is asked. */
export function arbiterOrPerson(
  task: Task,
  arbitrationAfter: Impasse,
  question: Extract<QuestionKind, 'blocked' | 'deadlock'>,
  reason: string,
): Move {
  // "Try again" starts the turn that was stuck; out of a deadlock only the owner can lead.
  const stuck = question === 'blocked' ? task.turn?.purpose : undefined;
  const back = { purpose: stuck ?? 'work' } as const;
  if (!task.terms.hasArbiter) return askPerson(task, question, reason, back);
  const arbitrations = task.counters.arbitrations + 1;
  if (arbitrations > MAX_ARBITRATIONS) return askPerson(task, 'arbitrations', reason, back);
  return due(
    { ...task, asked: [], arbitrationAfter, counters: { ...task.counters, arbitrations } },
    { purpose: 'arbitrate', session: 'fresh' },
  );
}

/** A person is asked. `back` is the turn that "try again" or "go on" starts. */
export function askPerson(
  task: Task,
  kind: QuestionKind,
  reason: string,
  back: TurnPlan,
  limit: BudgetLimit | null = null,
): Move {
  const turn = { ...planned(task, back), wrappingUp: null };
  const question = {
    number: task.nextQuestion,
    kind,
    text: questionText(kind, reason, limit),
    answers: answersTo(kind, task.content),
    snapshot: task.content,
    limit,
    back: { state: stateOf[back.purpose].due, turn },
  };
  return {
    task: { ...task, state: 'awaiting_person', turn: null, question, nextQuestion: task.nextQuestion + 1 },
    effects: [{ type: 'ask', question }],
  };
}

/** The task is over. Whatever still runs or waits for an answer ends with it. */
export function complete(task: Task, ending: Ending): Move {
  const endTurn: Effect[] = task.turn === null ? [] : [{ type: 'end_turn', turn: task.turn.number }];
  const closeQuestion: Effect[] =
    task.question === null ? [] : [{ type: 'close_question', question: task.question.number }];
  return {
    task: { ...task, state: 'completed', ending, turn: null, question: null },
    effects: [...endTurn, ...closeQuestion, { type: 'tell_ending', ending }],
  };
}

function start(task: Task, turn: LiveTurn, afterMs: number): Move {
  const { terms, budgets, spent, counters } = task;
  const limit = reachedLimit(terms.budget, budgets, spent, counters.rounds);
  if (limit !== null) return askPerson(task, 'budget', 'No further turn was started.', turn, limit);
  const keepContent: Effect[] = turn.workspace === 'reset' ? [{ type: 'keep_content' }] : [];
  return {
    task: { ...task, state: stateOf[turn.purpose].due, turn, question: null },
    effects: [...keepContent, { type: 'start_turn', turn, afterMs }],
  };
}

function planned(task: Task, plan: TurnPlan): LiveTurn {
  return {
    attempt: 1,
    ask: null,
    session: 'continue',
    workspace: 'keep',
    messages: [],
    wrappingUp: null,
    ...plan,
    role: roleOf(plan.purpose),
    number: task.nextTurn,
    phase: 'due',
  };
}

function roleOf(purpose: TurnPurpose): Role {
  switch (purpose) {
    case 'work':
    case 'finish':
      return 'owner';
    case 'review':
      return 'reviewer';
    case 'arbitrate':
      return 'arbiter';
  }
}
