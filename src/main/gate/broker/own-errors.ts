import type { BudgetLimit } from '../../../shared/vocabulary/words.ts';
import type { OwnError } from '../turn-away.ts';

/**
 * What the broker answers by itself. Claude Code and Codex try again on most statuses: of those that they take as
 * final, 400 is the only one that both do, and Claude Code only where the type is not `invalid_request_error`.
 */
const FINAL_STATUS = 400;

const limitNames: Readonly<Record<BudgetLimit, string>> = {
  usd: 'money',
  tokens: 'tokens',
  minutes: 'time',
  rounds: 'rounds',
};

export function overBudget(limit: BudgetLimit): OwnError {
  return {
    status: FINAL_STATUS,
    type: 'billing_error',
    message: `The task's budget of ${limitNames[limit]} is used up, so no model is asked. End the turn; a person can raise the budget.`,
  };
}

export function tooLarge(limitBytes: number): OwnError {
  return {
    status: 413,
    type: 'request_too_large',
    message: `The request is larger than ${Math.floor(limitBytes / 1_048_576)} MB, the most that is passed on. Send less at once.`,
  };
}

export function redirected(baseUrl: string, location: string): OwnError {
  return {
    status: FINAL_STATUS,
    type: 'permission_error',
    message: `${baseUrl} points to ${location}, which is not followed, so that the key goes nowhere else. Set the API's base address to where it really is.`,
  };
}

export function unreached(baseUrl: string, cause: string, begun: boolean): OwnError {
  return {
    status: 502,
    type: 'api_error',
    message: begun
      ? `The answer of ${baseUrl} was cut off: ${cause}. Try again.`
      : `${baseUrl} could not be reached: ${cause}. Check the network, and the API's base address if one is set.`,
  };
}
