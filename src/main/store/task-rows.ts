import type { Criterion, Finding, Spending, Task } from '../domain/tribunal/task.ts';
import { questionFrom } from './escalations.ts';
import type { Escalation } from './escalations.ts';
import type { criteria, findings, tasks } from './schema/tasks.ts';
import { liveTurnFrom } from './turns.ts';
import type { Turn } from './turns.ts';

export type TaskRow = typeof tasks.$inferSelect;
export type CriterionRow = typeof criteria.$inferSelect;
export type FindingRow = typeof findings.$inferSelect;

/** The columns of the tasks table that hold the tribunal's state. */
type StateColumns = Omit<
  TaskRow,
  'title' | 'ancestorId' | 'personBase' | 'createdAt' | 'endedAt' | 'appliedAt'
>;

/** The rows beside a task's own, and the sum of its calls and attempts. */
export interface TaskParts {
  readonly criteria: readonly CriterionRow[];
  readonly findings: readonly FindingRow[];
  readonly turn: Turn | null;
  readonly escalation: Escalation | null;
  readonly spent: Spending;
}

/** Puts a task together from its rows. */
export function taskFrom(row: TaskRow, parts: TaskParts): Task {
  const { id, roomId, origin, request, state, ending, nextTurn, nextQuestion, waiting, base, content } = row;
  const { reviewed, approved, criteriaFixed, ruling, arbitrationAfter, asked, budgets } = row;
  const { mode, hasArbiter, direct } = row;
  const { rounds, roundsWithoutProgress, retries, arbitrations, changedFinishes } = row;
  return {
    id,
    roomId,
    origin,
    request,
    terms: {
      mode,
      hasArbiter,
      direct,
      budget: {
        usd: row.budgetUsd,
        tokens: row.budgetTokens,
        minutes: row.budgetMinutes,
        rounds: row.budgetRounds,
      },
    },
    state,
    ending,
    turn: parts.turn === null ? null : liveTurnFrom(parts.turn),
    nextTurn,
    waiting,
    base,
    content,
    reviewed,
    approved,
    criteria: parts.criteria.map(criterionFrom),
    criteriaFixed,
    findings: parts.findings.map(findingFrom),
    ruling,
    arbitrationAfter,
    asked,
    counters: { rounds, roundsWithoutProgress, retries, arbitrations, changedFinishes },
    spent: parts.spent,
    budgets,
    question: parts.escalation === null ? null : questionFrom(parts.escalation),
    nextQuestion,
  };
}

/** What a task's own row holds of it. */
export function columnsFrom(task: Task): StateColumns {
  const { id, roomId, origin, request, state, ending, nextTurn, nextQuestion, waiting, base, content } = task;
  const { reviewed, approved, criteriaFixed, ruling, arbitrationAfter, asked, budgets } = task;
  const { mode, hasArbiter, direct, budget } = task.terms;
  return {
    id,
    roomId,
    origin,
    request,
    mode,
    hasArbiter,
    direct,
    budgetUsd: budget.usd,
    budgetTokens: budget.tokens,
    budgetMinutes: budget.minutes,
    budgetRounds: budget.rounds,
    budgets,
    state,
    ending,
    nextTurn,
    nextQuestion,
    waiting,
    base,
    content,
    reviewed,
    approved,
    criteriaFixed,
    ruling,
    arbitrationAfter,
    asked,
    ...task.counters,
  };
}

function criterionFrom(row: CriterionRow): Criterion {
  const { id, text, source, judgement } = row;
  return { id, text, source, judgement };
}

function findingFrom(row: FindingRow): Finding {
  const { id, criterion, severity, place, text, evidence, judgement, overruled, freeText } = row;
  return { id, criterion, severity, place, text, evidence, judgement, overruled, freeText };
}
