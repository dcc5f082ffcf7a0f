/**
 * The numbers of the table in rules.ts. Those of repeated tries are in schedule/retry.ts, those of a used-up budget
 * in budget/budget.ts.
 */

/** Reviews in a row without progress that call the arbiter. */
export const ROUNDS_WITHOUT_PROGRESS = 3;

/** Finishing turns in a row that change approved content which call the arbiter. */
export const CHANGED_FINISHES = 2;

/** What one task can call the arbiter for; the next impasse is a person's. */
export const MAX_ARBITRATIONS = 2;

/**
 * Most criteria that the owner's first turn and the first review may add to the room's standing ones: so few that
 * every review can judge each.
 */
export const MAX_PROPOSED_CRITERIA = 7;
