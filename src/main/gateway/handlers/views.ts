import type {
  EscalationView,
  EventView,
  LiveView,
  RoomView,
  SpendingView,
  TaskView,
  TurnView,
} from '../../../shared/contract/views.ts';
import type { TaskId } from '../../../shared/vocabulary/ids.ts';
import type { LiveItem } from '../../rooms/live-feed.ts';
import type { Escalation } from '../../store/escalations.ts';
import type { StoredEvent } from '../../store/events.ts';
import type { Used } from '../../store/model-calls.ts';
import type { Room } from '../../store/rooms.ts';
import type { Store } from '../../store/store.ts';
import type { TaskSummary, TurnSummary } from '../../store/task-views.ts';

/** Stored things as the contract shows them. */

export function roomView(store: Store, room: Room): RoomView {
  return {
    id: room.id,
    settings: room.settings,
    createdAt: room.createdAt,
    openTask: store.tasks.openOf(room.id)?.id ?? null,
  };
}

/** A task by its id. One that does not exist is a bug and throws. */
export function taskView(store: Store, id: TaskId): TaskView {
  const task = store.views.task(id);
  if (task === null) throw new Error(`There is no task ${id} to show.`);
  return summaryView(store, task);
}

export function summaryView(store: Store, task: TaskSummary): TaskView {
  return {
    id: task.id,
    room: task.roomName,
    title: task.title,
    origin: task.origin,
    state: task.state,
    ending: task.ending,
    role: task.role,
    waitsUntil: task.state === 'completed' ? null : store.jobs.turnWaitsUntil(task.id),
    startedAt: task.createdAt,
    endedAt: task.endedAt,
    appliedAt: task.appliedAt,
    rounds: task.rounds,
    spent: spendingView(store.modelCalls.sum({ taskId: task.id })),
  };
}

export function turnView(turn: TurnSummary): TurnView {
  const verdict = turn.verdicts.at(-1);
  return {
    id: turn.id,
    number: turn.number,
    role: turn.role,
    purpose: turn.purpose,
    status: turn.status === 'live' ? turn.phase : turn.status,
    attempts: turn.attempts.length,
    startedAt: turn.attempts[0]?.startedAt ?? null,
    endedAt: turn.endedAt,
    verdict: verdict?.verdict ?? null,
    text: verdict?.text ?? null,
    spent: spendingView(turn.spent),
  };
}

function spendingView({ usd, tokens, minutes, unpricedCalls }: Used): SpendingView {
  return { usd: unpricedCalls === 0 ? usd : null, tokens, minutes };
}

export function escalationView(store: Store, escalation: Escalation): EscalationView {
  const task = store.views.task(escalation.taskId);
  if (task === null) throw new Error(`${escalation.id} belongs to no task.`);
  return {
    id: escalation.id,
    room: task.roomName,
    task: task.id,
    title: task.title,
    text: escalation.text,
    answers: escalation.answers,
    limit: escalation.limit,
    snapshot: escalation.snapshot,
    shown: escalation.shownHash,
    askedAt: escalation.createdAt,
  };
}

export function eventView(event: StoredEvent): EventView {
  return {
    seq: event.seq,
    id: event.id,
    at: event.at,
    type: event.type,
    room: event.roomId,
    task: event.taskId,
    turn: event.turnId,
    data: { ...event.data },
  };
}

export function liveView({ taskId, turnId, event }: LiveItem): LiveView {
  const { type, ...data } = event;
  return { task: taskId, turn: turnId, kind: type, data };
}
