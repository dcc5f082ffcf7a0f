import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { TurnPurpose, Verdict } from '../../../shared/vocabulary/words.ts';
import type { TurnEnded, TurnExhausted, TurnFailed } from './event.ts';
import type { Ask, Task } from './task.ts';

/** The turn of this number is running. */
export function isLive(task: Task, turn: number): boolean {
  return task.turn?.number === turn && task.turn.phase === 'running';
}

/** The event comes from the running try of the live turn; what older tries say counts for nothing. */
export function isLiveTry(task: Task, event: TurnEnded | TurnFailed): boolean {
  return isLive(task, event.turn) && task.turn?.attempt === event.attempt;
}

/** The live turn's newest try has failed, be it that it could not even start. */
export function failed(task: Task, event: TurnFailed | TurnExhausted): boolean {
  return task.turn?.number === event.turn && task.turn.attempt === event.attempt;
}

/** The live turn, of this purpose, has ended. */
export function ended(task: Task, event: TurnEnded, purpose: TurnPurpose): boolean {
  return isLiveTry(task, event) && task.turn?.purpose === purpose;
}

export function says(event: TurnEnded, verdict: Verdict): boolean {
  return event.reading.kind === 'verdict' && event.reading.verdict === verdict;
}

/** BLOCKED or NEEDS_CONTEXT. */
export function isStuck(event: TurnEnded): boolean {
  return says(event, 'BLOCKED') || says(event, 'NEEDS_CONTEXT');
}

/** Each thing is asked for once in a review or arbitration. */
export function canAsk(task: Task, ask: Ask): boolean {
  return !task.asked.includes(ask);
}

/** Messages wait, and the live turn is not the owner's, so it cannot take them. */
export function keepsMessagesWaiting(task: Task): boolean {
  return task.waiting.length > 0 && task.turn?.role !== 'owner';
}

/** The snapshot of an owner's work, where one could be taken. */
export function snapshotOf(event: TurnEnded): SnapshotId | null {
  return event.content?.kind === 'snapshot' ? event.content.snapshot : null;
}

/** Why there is no content to judge by. */
export function whyUnknown(event: TurnEnded): string {
  return event.content?.kind === 'unknown' ? event.content.reason : 'Its content was not read.';
}

/** Whether the content is what was approved; null where that could not be told. */
export function equalsApproved(event: TurnEnded): boolean | null {
  return event.content?.kind === 'snapshot' ? event.content.equalsApproved : null;
}
