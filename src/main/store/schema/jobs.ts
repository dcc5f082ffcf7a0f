import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { JobId, RoomId, TaskId } from '../../../shared/vocabulary/ids.ts';
import { json } from './columns.ts';
import { objectSchema } from './shapes.ts';

/** Work that waits or runs. */
export const jobs = sqliteTable(
  'jobs',
  {
    id: text('id').$type<JobId>().primaryKey(),
    kind: text('kind').notNull(),
    roomId: text('room_id').$type<RoomId>(),
    taskId: text('task_id').$type<TaskId>(),
    payload: json('payload', objectSchema).notNull(),
    state: text('state', { enum: ['ready', 'running', 'done', 'cancelled', 'failed'] }).notNull(),
    runAt: integer('run_at').notNull(),
    /** Higher goes first. */
    priority: integer('priority').notNull(),
    /** Claims so far. */
    attempt: integer('attempt').notNull(),
    /** The boot that runs it. */
    leaseOwner: text('lease_owner'),
    /** Grows with every claim and every reclaim, so that an old lease can be told from the living one. */
    fence: integer('fence').notNull(),
    idempotencyKey: text('idempotency_key').notNull().unique(),
    lastError: text('last_error'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('jobs_due').on(table.state, table.runAt),
    index('jobs_by_task').on(table.taskId, table.state),
    index('jobs_by_room').on(table.roomId, table.state),
  ],
);
