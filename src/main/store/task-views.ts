import { and, desc, eq, sql } from 'drizzle-orm';
import type { RoomId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { Role } from '../../shared/vocabulary/words.ts';
import type { Query } from './connection.ts';
import type { ModelCalls, Used } from './model-calls.ts';
import { rooms } from './schema/rooms.ts';
import { tasks } from './schema/tasks.ts';
import { turns } from './schema/turns.ts';
import type { StoreContext } from './store-context.ts';
import type { TaskRow } from './task-rows.ts';
import type { Attempt, Turn, Turns } from './turns.ts';
import type { StoredVerdict, Verdicts } from './verdicts.ts';

/** A task as a list shows it. */
export interface TaskSummary extends Pick<
  TaskRow,
  'id' | 'title' | 'origin' | 'state' | 'ending' | 'rounds' | 'createdAt' | 'endedAt' | 'appliedAt'
> {
  readonly roomId: RoomId;
  readonly roomName: string;
  /** Who is at work, or will be next; null while nobody is. */
  readonly role: Role | null;
}

/** A turn with its tries and what came of it. */
export interface TurnSummary extends Pick<
  Turn,
  'id' | 'number' | 'role' | 'purpose' | 'phase' | 'status' | 'createdAt' | 'endedAt'
> {
  readonly attempts: readonly Attempt[];
  /** All that were read, oldest first; the last one counts. */
  readonly verdicts: readonly StoredVerdict[];
  readonly spent: Used;
}

/** What screens and the command line show of tasks. */
export class TaskViews {
  readonly #parts: { readonly turns: Turns; readonly verdicts: Verdicts; readonly modelCalls: ModelCalls };
  readonly #list: Query<TaskSummary>;

  public constructor(
    context: StoreContext,
    parts: { readonly turns: Turns; readonly verdicts: Verdicts; readonly modelCalls: ModelCalls },
  ) {
    this.#parts = parts;
    this.#list = context.connection.query((db) =>
      db
        .select({
          id: tasks.id,
          title: tasks.title,
          origin: tasks.origin,
          state: tasks.state,
          ending: tasks.ending,
          rounds: tasks.rounds,
          createdAt: tasks.createdAt,
          endedAt: tasks.endedAt,
          appliedAt: tasks.appliedAt,
          roomId: tasks.roomId,
          roomName: rooms.name,
          role: turns.role,
        })
        .from(tasks)
        .innerJoin(rooms, eq(rooms.id, tasks.roomId))
        .leftJoin(turns, and(eq(turns.taskId, tasks.id), eq(turns.status, 'live')))
        .where(
          and(
            sql`(${sql.placeholder('taskId')} is null or ${tasks.id} = ${sql.placeholder('taskId')})`,
            sql`(${sql.placeholder('roomId')} is null or ${tasks.roomId} = ${sql.placeholder('roomId')})`,
            sql`(${sql.placeholder('onlyOpen')} = 0 or ${tasks.state} <> 'completed')`,
          ),
        )
        .orderBy(desc(tasks.createdAt), desc(tasks.id))
        .limit(sql.placeholder('limit')),
    );
  }

  /** Tasks, the newest first: of one room or all, those that are open or all. */
  public list(filter: {
    readonly roomId?: RoomId;
    readonly onlyOpen?: boolean;
    readonly limit: number;
  }): TaskSummary[] {
    return this.#list.all({
      taskId: null,
      roomId: filter.roomId ?? null,
      onlyOpen: filter.onlyOpen === true ? 1 : 0,
      limit: filter.limit,
    });
  }

  public task(id: TaskId): TaskSummary | null {
    return this.#list.get({ taskId: id, roomId: null, onlyOpen: 0, limit: 1 }) ?? null;
  }

  /** A task's turns, the first one first. */
  public turnsOf(taskId: TaskId): TurnSummary[] {
    const { turns: all, verdicts, modelCalls } = this.#parts;
    return all.ofTask(taskId).map(({ id, number, role, purpose, phase, status, createdAt, endedAt }) => ({
      id,
      number,
      role,
      purpose,
      phase,
      status,
      createdAt,
      endedAt,
      attempts: all.attemptsOf(id),
      verdicts: verdicts.ofTurn(id),
      spent: modelCalls.sum({ turnId: id }),
    }));
  }
}
