import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { EventId, RoomId, TaskId, TurnId } from '../../../shared/vocabulary/ids.ts';
import { json } from './columns.ts';
import { objectSchema } from './shapes.ts';

/** Everything that happened, only ever appended to. No foreign keys: the log outlives what it speaks of. */
export const events = sqliteTable(
  'events',
  {
    /** The order of the log; never given twice. */
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    id: text('id').$type<EventId>().notNull().unique(),
    at: integer('at').notNull(),
    type: text('type').notNull(),
    roomId: text('room_id').$type<RoomId>(),
    taskId: text('task_id').$type<TaskId>(),
    turnId: text('turn_id').$type<TurnId>(),
    data: json('data', objectSchema).notNull(),
  },
  (table) => [
    index('events_by_room').on(table.roomId, table.seq),
    index('events_by_task').on(table.taskId, table.seq),
  ],
);
