import type { BudgetLimit } from '../../../shared/vocabulary/words.ts';
import type { Budget, Spending } from '../tribunal/task.ts';

/** Once a budget is used up, the live turn may make this many more model calls … */
export const GRACE_CALLS = 3;
/** … within this time, to wrap up. */
export const GRACE_MS = 3 * 60_000;

/** The first limit that is reached, if any. Money, tokens and time allow `budgets` times the budget; rounds start anew with each answer of a person. */
export function reachedLimit(
  budget: Budget,
  budgets: number,
  spent: Spending,
  rounds: number,
): BudgetLimit | null {
  if (spent.usd >= budget.usd * budgets) return 'usd';
  if (spent.tokens >= budget.tokens * budgets) return 'tokens';
  if (spent.minutes >= budget.minutes * budgets) return 'minutes';
  if (rounds >= budget.rounds) return 'rounds';
  return null;
}

/** How many budgets a task has after a person granted one more: enough that work can go on, even where a single call overshot. */
export function oneMoreBudget(budget: Budget, budgets: number, spent: Spending): number {
  const used = Math.max(spent.usd / budget.usd, spent.tokens / budget.tokens, spent.minutes / budget.minutes);
  return Math.max(budgets + 1, Math.floor(used) + 1);
}
