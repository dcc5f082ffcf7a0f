import { readingFrom } from '../../store/verdicts.ts';
import type { Lease } from '../../store/jobs.ts';
import type { Parts } from '../parts.ts';
import { Desk } from './desk.ts';
import { conclude, failTry, recordResult } from './end.ts';
import { runEngine } from './engine.ts';
import { chooseFor, passOn, waitForReset } from './exhaustion.ts';
import { preparePlace } from './place.ts';
import { beginTry, findTry } from './try.ts';
import type { Try } from './try.ts';

/**
 * Runs one try of a turn to its end and tells the tribunal how it went. It may find that it died half-way with
 * the host: then it goes on from what had been written down. An aborted signal leaves the try as a crash would.
 */
export async function runTurn(
  parts: Parts,
  lease: Lease,
  number: number,
  signal: AbortSignal,
): Promise<void> {
  const found = findTry(parts, lease, number);
  if (found === null) parts.store.jobs.complete(lease);
  else if (found.turn.phase === 'running') await goOnAfterDeath(found);
  else await startTry(found, signal);
}

/** What the turn had said before the host died is concluded; one that had not ended runs again. */
async function goOnAfterDeath(found: Try): Promise<void> {
  const { parts, lease, task, turnId } = found;
  const attempt = parts.store.turns.attemptsOf(turnId).at(-1);
  const said = parts.store.verdicts.ofTurn(turnId).findLast((verdict) => verdict.attemptId === attempt?.id);
  if (attempt !== undefined && said !== undefined) {
    const { text, report } = said;
    await conclude({ ...found, attemptId: attempt.id }, { text, reading: readingFrom(said), report }, null);
    return;
  }
  parts.steps.now('turn.decided', () => {
    parts.store.transaction(() => {
      if (attempt !== undefined) parts.store.turns.endAttempt(attempt.id, 'lost', 'It was cut off.');
      parts.store.jobs.complete(lease);
      parts.proceedings.feed(task.id, { type: 'host_restarted' });
    });
  });
}

async function startTry(found: Try, shutdown: AbortSignal): Promise<void> {
  const { parts, room, task, turn } = found;
  const choice = chooseFor(found);
  if (choice.kind === 'wait') {
    waitForReset(found, choice);
    return;
  }
  const ending = new AbortController();
  const signal = AbortSignal.any([shutdown, ending.signal]);
  const running: { desk: Desk | null; graceOver: boolean } = { desk: null, graceOver: false };
  const removeReins = parts.liveTurns.add(task.id, {
    number: turn.number,
    end: () => {
      ending.abort();
    },
    wrapUp: (limit) => {
      running.desk?.wrapUp(limit);
    },
  });
  try {
    const prepared = await preparePlace(parts, room, task, turn, signal);
    if (signal.aborted) return;
    const chosen = choice.kind === 'run' ? choice : null;
    const begun = beginTry(found, prepared.ok ? prepared.value.base : null, chosen);
    if (begun === null) return;
    if (!prepared.ok) {
      await failTry(begun, { ...prepared.failure, forGood: true }, false, null);
      return;
    }
    const { open } = prepared.value;
    if (choice.kind === 'none') {
      await failTry(begun, choice.failure, false, open);
      return;
    }
    const desk = new Desk(parts, begun, () => {
      running.graceOver = true;
      ending.abort();
    });
    running.desk = desk;
    const ran = await runEngine(begun, choice.runner, prepared.value, desk, signal);
    if (shutdown.aborted) return;
    if (ran.ok) {
      recordResult(begun, choice.runner, ran.value);
      await conclude(begun, ran.value, open);
    } else if (ran.failure.tag === 'stopped' && !running.graceOver) {
      parts.store.turns.endAttempt(begun.attemptId, 'stopped');
    } else if (ran.failure.tag === 'exhausted' && !running.graceOver) {
      await passOn(begun, choice.runner, ran.failure, open);
    } else {
      await failTry(begun, ran.failure, running.graceOver || ran.failure.tag === 'budget', open);
    }
  } finally {
    running.desk?.close();
    removeReins();
  }
}
