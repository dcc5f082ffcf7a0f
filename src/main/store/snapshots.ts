import { asc, eq, sql } from 'drizzle-orm';
import type { RoomId, SnapshotId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { Query } from './connection.ts';
import { snapshots } from './schema/tasks.ts';
import type { snapshotKinds } from './schema/tasks.ts';
import type { StoreContext } from './store-context.ts';

export type SnapshotKind = (typeof snapshotKinds)[number];
export type TakenSnapshot = typeof snapshots.$inferSelect;

/** When and why snapshots were taken. Their content is not in here. */
export class Snapshots {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #ofTask: Query<TakenSnapshot>;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(snapshots, 'seq');
    this.#ofTask = connection.query((db) =>
      db
        .select()
        .from(snapshots)
        .where(eq(snapshots.taskId, sql.placeholder('taskId')))
        .orderBy(asc(snapshots.seq)),
    );
  }

  public record(taken: {
    readonly id: SnapshotId;
    readonly roomId: RoomId;
    readonly taskId: TaskId | null;
    readonly kind: SnapshotKind;
    /** Files that were left out because they look like secrets. */
    readonly leftOut: readonly string[];
  }): void {
    this.#insert({ ...taken, takenAt: this.#context.clock.now() });
  }

  /** Every taking for a task, oldest first. */
  public ofTask(taskId: TaskId): TakenSnapshot[] {
    return this.#ofTask.all({ taskId });
  }
}
