import { describeFailure } from '../../../shared/kernel/result.ts';
import type { Failure } from '../../../shared/kernel/result.ts';
import type { AttemptId, SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { Runner } from '../../domain/fallback/choice.ts';
import { MAX_RETRIES } from '../../domain/schedule/retry.ts';
import type { TribunalEvent } from '../../domain/tribunal/event.ts';
import type { TurnYield } from '../../ports/engine.ts';
import type { OpenWorkspace } from '../../ports/workspace.ts';
import { say } from '../saying.ts';
import { takeContent } from './content.ts';
import type { TakenContent } from './content.ts';
import { isStillLive } from './try.ts';
import type { BegunTry, Try } from './try.ts';

/** A try whose attempt is written down. */
type EndedTry = Try & { readonly attemptId: AttemptId };

/** What the turn came to is written down before anything is made of it, so that the host may die in between. */
export function recordResult(
  begun: BegunTry,
  { engine, account }: Runner,
  { reading, report, text }: TurnYield,
): void {
  const { parts, task, turn, turnId, attemptId, begunAt } = begun;
  const { store, steps } = parts;
  steps.now('turn.result.recorded', () => {
    store.transaction(() => {
      if (account !== null) store.coolDowns.succeeded(engine, account, begunAt);
      store.verdicts.record({ turnId, attemptId, reading, report, text });
      const data =
        reading.kind === 'verdict'
          ? { role: turn.role, verdict: reading.verdict, via: reading.via }
          : { role: turn.role, verdict: null, reason: reading.reason };
      store.events.append({ type: 'verdict.read', roomId: task.roomId, taskId: task.id, turnId, data });
      if (text.trim() !== '') say(store, task, { role: 'agent', text, speaker: turn.role });
    });
  });
}

/** The turn has ended by itself: its content is taken, and the tribunal decides. */
export async function conclude(
  ended: EndedTry,
  { reading, report, text }: TurnYield,
  open: OpenWorkspace | null,
): Promise<void> {
  const { parts, task, turn, turnId } = ended;
  const taken = turn.role === 'owner' ? await takeContent(ended, open) : null;
  const verdict = reading.kind === 'verdict' ? reading.verdict : null;
  settle(ended, { outcome: 'ended', reason: null, taken }, () => {
    const { number, role, purpose } = turn;
    const data = { number, role, purpose, verdict };
    parts.store.events.append({ type: 'turn.ended', roomId: task.roomId, taskId: task.id, turnId, data });
    return {
      type: 'turn_ended',
      turn: number,
      attempt: turn.attempt,
      visible: text.trim() !== '' || verdict !== null,
      reading,
      text,
      report,
      content: taken?.content ?? null,
    };
  });
}

/** The try has failed: what the owner had made is kept where no other try follows, and the tribunal decides. */
export async function failTry(
  begun: BegunTry,
  failure: Failure & { readonly forGood: boolean; readonly retryAfterMs?: number },
  cut: boolean,
  open: OpenWorkspace | null,
): Promise<void> {
  const { parts, task, turn, turnId } = begun;
  const { forGood, tag, retryAfterMs = null } = failure;
  const last = forGood || cut || task.counters.retries >= MAX_RETRIES;
  const taken = await keptContent(begun, last, open);
  const reason = describeFailure(failure);
  settle(begun, { outcome: 'failed', reason, taken }, () => {
    const { number, role, attempt } = turn;
    const data = { number, role, attempt, tag, reason, forGood, cut };
    parts.store.events.append({ type: 'turn.failed', roomId: task.roomId, taskId: task.id, turnId, data });
    const content = snapshotIn(taken);
    return { type: 'turn_failed', turn: number, attempt, forGood, cut, reason, retryAfterMs, content };
  });
}

/** What the try ran on is used up: the same turn goes on. `tell` says so in the log, and how long until it can, in milliseconds. */
export async function exhaustTry(
  begun: BegunTry,
  reason: string,
  open: OpenWorkspace | null,
  tell: () => number,
): Promise<void> {
  const taken = await keptContent(begun, false, open);
  settle(begun, { outcome: 'exhausted', reason, taken }, () => {
    const { number, attempt } = begun.turn;
    const content = snapshotIn(taken);
    return { type: 'turn_exhausted', turn: number, attempt, afterMs: tell(), content };
  });
}

/** Where a person is asked next, who may want to accept what there is, the owner's work is taken. */
async function keptContent(
  begun: BegunTry,
  isLast: boolean,
  open: OpenWorkspace | null,
): Promise<TakenContent | null> {
  const { parts, task, turn } = begun;
  const wrapsUp = (parts.store.tasks.load(task.id)?.turn?.wrappingUp ?? null) !== null;
  const keeps = turn.role === 'owner' && (isLast || wrapsUp) && open !== null;
  return keeps ? takeContent(begun, open) : null;
}

function snapshotIn(taken: TakenContent | null): SnapshotId | null {
  return taken?.content.kind === 'snapshot' ? taken.content.snapshot : null;
}

/** The end of a try and all that follows from it, in one transaction. */
function settle(
  { parts, lease, task, turn, attemptId }: EndedTry,
  end: {
    readonly outcome: 'ended' | 'failed' | 'exhausted';
    readonly reason: string | null;
    readonly taken: TakenContent | null;
  },
  event: () => TribunalEvent,
): void {
  const { store, proceedings, steps } = parts;
  steps.now('turn.decided', () => {
    store.transaction(() => {
      if (!isStillLive(parts, task.id, turn)) {
        store.turns.endAttempt(attemptId, 'stopped');
        return;
      }
      store.turns.endAttempt(attemptId, end.outcome, end.reason);
      store.jobs.complete(lease);
      if (end.taken?.content.kind === 'snapshot') {
        const { snapshot: id } = end.taken.content;
        const { leftOut } = end.taken;
        store.snapshots.record({ id, roomId: task.roomId, taskId: task.id, kind: 'content', leftOut });
      }
      proceedings.feed(task.id, event());
    });
  });
}
