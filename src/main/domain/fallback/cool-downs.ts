import type { EngineName } from '../../../shared/vocabulary/words.ts';

/** An account that is used up or shut out. Times are milliseconds since 1970. */
export interface CoolDown {
  readonly engine: EngineName;
  readonly account: string;
  readonly since: number;
  readonly until: number;
  /** Whether time alone heals it, as with a usage limit; else a person has to change something. */
  readonly passes: boolean;
  /** Why, in the words of the other side. */
  readonly reason: string;
}

/** How long an account is left alone where nobody says when it is there again. */
const UNKNOWN_RESET_MS = 60 * 60_000;
/** At least so long, so that a reset in the past cannot make a loop of it. */
const LEAST_COOL_DOWN_MS = 60_000;
/** At most so long: limits are by the week at most, and a date that was misread must not cost a month. */
const LONGEST_COOL_DOWN_MS = 8 * 24 * 60 * 60_000;

/** Until when an account is left alone that is used up now. */
export function coolDownUntil(now: number, resetsAt: number | null): number {
  const statedMs = resetsAt === null ? UNKNOWN_RESET_MS : resetsAt - now;
  return now + Math.min(Math.max(statedMs, LEAST_COOL_DOWN_MS), LONGEST_COOL_DOWN_MS);
}

/** Whether it still holds. Where the clock was set back behind its beginning, its end means nothing any more. */
export function isCooling({ since, until }: CoolDown, now: number): boolean {
  return since <= now && now < until;
}
