import type { CallPermit, EngineFailure } from '../ports/engine.ts';

/** The host allows no further call: only a person can give the task more. */
export function budgetUsedUp({ limit }: Extract<CallPermit, { kind: 'refused' }>): EngineFailure {
  return {
    tag: 'budget',
    forGood: true,
    message: `The task's budget (${limit}) and the grace after it are used up.`,
    next: 'Grant one more budget, or accept what there is.',
  };
}
