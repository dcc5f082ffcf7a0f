import type { APIError } from '@anthropic-ai/sdk';
import type { EngineFailure } from '../../ports/engine.ts';

/** What of a refused call tells of an account that is used up or shut out. */
export interface Exhaustion {
  readonly message: string;
  readonly next: string;
  /** Time alone does not heal it. */
  readonly forGood: boolean;
  readonly resetsAt?: number;
}

/**
 * Told by status and headers first; by the words of the API only where it has no field for it, and only by how its
 * whole message begins, so that a message that quotes a limit is none.
 */
export function exhaustionOf(
  error: APIError,
  status: number,
  said: string,
  { baseUrl, account }: { readonly baseUrl: string; readonly account: string },
): Exhaustion | null {
  switch (status) {
    case 401:
    case 403:
      return {
        message: `${baseUrl} refused the API key (${status}): ${said}`,
        next: `Check that the key of the account "${account}" is valid and may use this model.`,
        forGood: true,
      };
    case 402:
      return noMoney(said);
    case 429:
      return usageLimit(error, said);
    case 400:
      return refusedAccount(said);
    default:
      return null;
  }
}

export function exhausted({ message, next, forGood, resetsAt }: Exhaustion): EngineFailure {
  return { tag: 'exhausted', forGood, message, next, ...(resetsAt === undefined ? {} : { resetsAt }) };
}

/** A subscription's limit has headers of its own; without them a 429 is a matter of seconds. The reset is in seconds since 1970. */
function usageLimit({ headers }: APIError, said: string): Exhaustion | null {
  if (headers?.get('anthropic-ratelimit-unified-status') !== 'rejected') return null;
  const resetSeconds = Number(headers.get('anthropic-ratelimit-unified-reset') ?? Number.NaN);
  return {
    message: `The account has used up what it may use: ${said}`,
    next: 'It can be used again when its limit is reset.',
    forGood: false,
    ...(resetSeconds > 0 ? { resetsAt: resetSeconds * 1_000 } : {}),
  };
}

/** The API says these as plain invalid requests. */
function refusedAccount(said: string): Exhaustion | null {
  if (said.startsWith('Your credit balance is too low')) return noMoney(said);
  if (said.startsWith('This organization has been disabled')) return noAccess(said);
  const limit =
    /^You have reached your specified (?:API|workspace API) usage limits\. You will regain access on (\d{4}-\d{2}-\d{2}) at (\d{2}:\d{2}) UTC/.exec(
      said,
    );
  if (limit === null) return null;
  const [, date = '', time = ''] = limit;
  return {
    message: `The account has reached its spending limit: ${said}`,
    next: 'Raise the limit in the settings of the account, or wait for its reset.',
    forGood: false,
    resetsAt: Date.parse(`${date}T${time}Z`),
  };
}

function noAccess(said: string): Exhaustion {
  return {
    message: `The account has no access: ${said}`,
    next: 'Ask who runs the organisation, or use another account.',
    forGood: true,
  };
}

function noMoney(said: string): Exhaustion {
  return {
    message: `The account cannot pay for the call: ${said}`,
    next: 'Check the billing page of the account.',
    forGood: true,
  };
}
