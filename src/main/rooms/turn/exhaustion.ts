import type { Role } from '../../../shared/vocabulary/words.ts';
import { chooseRunner, coolingOf, handOver } from '../../domain/fallback/choice.ts';
import type { HandOver, Runner } from '../../domain/fallback/choice.ts';
import { coolDownUntil } from '../../domain/fallback/cool-downs.ts';
import type { CoolDown } from '../../domain/fallback/cool-downs.ts';
import type { EngineFailure } from '../../ports/engine.ts';
import type { OpenWorkspace } from '../../ports/workspace.ts';
import { say } from '../saying.ts';
import { timeWords } from '../when.ts';
import type { Parts } from '../parts.ts';
import { exhaustTry, failTry } from './end.ts';
import { runnerWords } from './hand-over.ts';
import { runnersOf } from './runners.ts';
import type { TurnRunner } from './runners.ts';
import type { BegunTry, Try } from './try.ts';

/** What a try runs on, and how it came to that. */
export interface ChosenRunner {
  readonly kind: 'run';
  readonly runner: TurnRunner;
  readonly handOver: HandOver | null;
  /** Why something that is set was passed over. */
  readonly passedOver: readonly string[];
}

/** Nothing can run the turn until a person has changed something. */
interface NoRunner {
  readonly kind: 'none';
  readonly failure: EngineFailure;
}

/** Everything that could run the turn is used up; this comes back first. */
interface Wait {
  readonly kind: 'wait';
  readonly runner: Runner;
  readonly until: number;
}

/** Chooses what a try runs on: what the role prefers, or what stands in for it while that is used up. */
export function chooseFor({ parts, room, task, turn }: Try): ChosenRunner | Wait | NoRunner {
  const runners = runnersOf({ parts, room, role: turn.role });
  if (!runners.ok) return { kind: 'none', failure: runners.failure };
  const { all, passedOver } = runners.value;
  const { store, clock } = parts;
  const now = clock.now();
  const coolDowns = store.coolDowns.all();
  const choice = chooseRunner(all, coolDowns, now);
  switch (choice.kind) {
    case 'wait':
      return choice;
    case 'none': {
      const shutOut = all.flatMap((runner) => coolingOf(runner, coolDowns, now)?.reason ?? []);
      forgetShutOut(parts, all, coolDowns);
      return { kind: 'none', failure: allShutOut(turn.role, shutOut) };
    }
    case 'run': {
      const before = store.turns.lastRunOf(task.id, turn.role);
      const handedOver = handOver(choice.runner, before, all, coolDowns, now);
      return { ...choice, handOver: handedOver, passedOver };
    }
  }
}

/** A due turn that nothing can run now stays due until something can. */
export function waitForReset(found: Try, wait: Wait): void {
  const { parts, lease, task, turn } = found;
  const { store, proceedings, steps } = parts;
  steps.now('turn.decided', () => {
    store.transaction(() => {
      store.jobs.complete(lease);
      const afterMs = tellOfWait(found, wait);
      const { number, attempt } = turn;
      proceedings.feed(task.id, { type: 'turn_exhausted', turn: number, attempt, afterMs, content: null });
    });
  });
}

/**
 * What the try ran on is used up: that account is left alone, and the same turn goes on with the next account or
 * engine, or waits for the first that comes back. Where none does by itself, a person is asked.
 */
export async function passOn(
  begun: BegunTry,
  { engine, account }: Runner,
  failure: EngineFailure,
  open: OpenWorkspace | null,
): Promise<void> {
  const { parts, room, task, turn, turnId } = begun;
  const { store, clock } = parts;
  const runners = runnersOf({ parts, room, role: turn.role });
  if (!runners.ok || account === null) {
    await failTry(begun, { ...failure, forGood: true }, false, open);
    return;
  }
  const now = clock.now();
  const coolDown: CoolDown = {
    engine,
    account,
    since: now,
    until: coolDownUntil(now, failure.resetsAt ?? null),
    passes: !failure.forGood || failure.resetsAt !== undefined,
    reason: failure.message,
  };
  const others = store.coolDowns
    .all()
    .filter((other) => other.engine !== engine || other.account !== account);
  const choice = chooseRunner(runners.value.all, [...others, coolDown], now);
  if (choice.kind === 'none') {
    forgetShutOut(parts, runners.value.all, others);
    await failTry(begun, { ...failure, forGood: true }, false, open);
    return;
  }
  await exhaustTry(begun, failure.message, open, () => {
    store.coolDowns.set(coolDown);
    const data = { role: turn.role, ...coolDown };
    store.events.append({ type: 'engine.exhausted', roomId: task.roomId, taskId: task.id, turnId, data });
    return choice.kind === 'wait' ? tellOfWait(begun, choice) : 0;
  });
}

function allShutOut(role: Role, reasons: readonly string[]): EngineFailure {
  return {
    tag: 'login',
    forGood: true,
    message: `Nothing that the ${role} could run on lets us in: ${reasons.join(' ')}`,
    next: 'See to one of them, then try again.',
  };
}

/** Says in the room and in the log that a turn waits; gives for how long, in milliseconds. */
function tellOfWait({ parts, task, turn, turnId }: Try, { runner, until }: Wait): number {
  const { store, clock } = parts;
  const now = clock.now();
  const { engine, account } = runner;
  const data = { role: turn.role, until, engine, account };
  store.events.append({ type: 'room.waits', roomId: task.roomId, taskId: task.id, turnId, data });
  const text = `⏳ The ${turn.role} waits until ${timeWords(until, now)}, when ${runnerWords(runner)} can be used again.`;
  say(store, task, { role: 'system', text });
  return until - now;
}

/** A person is asked, and will have changed something: what was shut out is tried again then. */
function forgetShutOut({ store }: Parts, runners: readonly Runner[], coolDowns: readonly CoolDown[]): void {
  for (const { engine, account, passes } of coolDowns) {
    const isOne = runners.some((runner) => runner.engine === engine && runner.account === account);
    if (isOne && !passes) store.coolDowns.clear(engine, account);
  }
}
