import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { EffectId, TaskId } from '../../../shared/vocabulary/ids.ts';

/** What cannot be undone, written down before and after. */
export const effects = sqliteTable(
  'effects',
  {
    id: text('id').$type<EffectId>().primaryKey(),
    /** The task in which it happens; keys are unique within it. */
    taskId: text('scope').$type<TaskId>().notNull(),
    key: text('key').notNull(),
    description: text('description').notNull(),
    state: text('state', { enum: ['intended', 'done', 'unknown', 'failed'] }).notNull(),
    /** What came of it, or why it failed. */
    result: text('result'),
    intendedAt: integer('intended_at').notNull(),
    finishedAt: integer('finished_at'),
  },
  (table) => [uniqueIndex('effects_by_key').on(table.taskId, table.key)],
);
