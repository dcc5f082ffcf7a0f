import type { MessageId, RoomId, SnapshotId, TaskId } from '../../../shared/vocabulary/ids.ts';
import type { Origin } from '../../../shared/vocabulary/words.ts';
import { noCounters, ownerWorks } from './moves.ts';
import type { Move } from './moves.ts';
import type { Criterion, Task, Terms } from './task.ts';

/** What a task starts with. */
export interface Beginning {
  readonly id: TaskId;
  readonly roomId: RoomId;
  readonly origin: Origin;
  readonly request: string;
  readonly messages: readonly MessageId[];
  readonly terms: Terms;
  /** The room's standing criteria. */
  readonly criteria: readonly string[];
  /** Content that the task stands on; null where the room's directory as it stands is taken. */
  readonly base: SnapshotId | null;
}

/**
 * A message or another origin, no open task: a new task, and the owner's turn. The base snapshot is taken as that
 * turn starts. Agents' own chatter never starts one: what they say goes out through the outbox, and never comes in.
 */
export function startTask(beginning: Beginning): Move {
  const { messages, criteria, ...rest } = beginning;
  const task: Task = {
    ...rest,
    state: 'active',
    ending: null,
    turn: null,
    nextTurn: 1,
    waiting: messages,
    content: null,
    reviewed: null,
    approved: null,
    criteria: criteria.map((text, index): Criterion => ({
      id: `C${index + 1}`,
      text,
      source: 'room',
      judgement: null,
    })),
    criteriaFixed: false,
    findings: [],
    ruling: null,
    arbitrationAfter: null,
    asked: [],
    counters: noCounters,
    spent: { usd: 0, tokens: 0, minutes: 0 },
    budgets: 1,
    question: null,
    nextQuestion: 1,
  };
  return ownerWorks(task);
}
