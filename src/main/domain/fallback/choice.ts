import type { EngineName } from '../../../shared/vocabulary/words.ts';
import { isCooling } from './cool-downs.ts';
import type { CoolDown } from './cool-downs.ts';

/** An engine, and the account that it would use; an engine without accounts has none. */
export interface Runner {
  readonly engine: EngineName;
  readonly account: string | null;
}

export type Choice<R extends Runner> =
  | { readonly kind: 'run'; readonly runner: R }
  /** All are used up; the first one is there again at this time. */
  | { readonly kind: 'wait'; readonly until: number; readonly runner: R }
  /** None is there, and none comes back by itself. */
  | { readonly kind: 'none' };

/** The first runner that is not used up; else the one that comes back first. */
export function chooseRunner<R extends Runner>(
  runners: readonly R[],
  coolDowns: readonly CoolDown[],
  now: number,
): Choice<R> {
  const free = runners.find((runner) => coolingOf(runner, coolDowns, now) === null);
  if (free !== undefined) return { kind: 'run', runner: free };
  const [first] = runners
    .flatMap((runner) => {
      const coolDown = coolingOf(runner, coolDowns, now);
      return coolDown?.passes === true ? [{ runner, until: coolDown.until }] : [];
    })
    .toSorted((a, b) => a.until - b.until);
  return first === undefined ? { kind: 'none' } : { kind: 'wait', ...first };
}

/** That a role's turn runs on something else than the one before it. */
export interface HandOver {
  readonly from: Runner;
  readonly to: Runner;
  /** Why not on what it ran on; null where it comes back to what is preferred, whose limit has passed. */
  readonly because: CoolDown | null;
}

/**
 * Whether a turn is handed over: from what the role ran on before, or where it has not run yet, from what it prefers.
 * What a change of settings brings about is none.
 */
export function handOver(
  to: Runner,
  before: Runner | null,
  runners: readonly Runner[],
  coolDowns: readonly CoolDown[],
  now: number,
): HandOver | null {
  const from = before ?? runners[0];
  if (from === undefined || isSame(from, to)) return null;
  const [fromPlace, toPlace] = [placeOf(from, runners), placeOf(to, runners)];
  if (fromPlace === -1 || toPlace === -1) return null;
  const because = coolingOf(from, coolDowns, now);
  return because !== null || toPlace < fromPlace ? { from, to, because } : null;
}

/** What keeps a runner from being used now. An engine without accounts is never used up. */
export function coolingOf(runner: Runner, coolDowns: readonly CoolDown[], now: number): CoolDown | null {
  return (
    coolDowns.find(
      (coolDown) =>
        coolDown.engine === runner.engine && coolDown.account === runner.account && isCooling(coolDown, now),
    ) ?? null
  );
}

function placeOf(runner: Runner, runners: readonly Runner[]): number {
  return runners.findIndex((known) => isSame(known, runner));
}

function isSame(one: Runner, other: Runner): boolean {
  return one.engine === other.engine && one.account === other.account;
}
