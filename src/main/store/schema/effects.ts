import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { EffectId, TaskId, TurnId } from '../../../shared/vocabulary/ids.ts';

export const effectStates = ['intended', 'done', 'unknown', 'failed'] as const;

/** What cannot be undone, written down before and after. */
export const effects = sqliteTable(
  'effects',
  {
    id: text('id').$type<EffectId>().primaryKey(),
    /** What it belongs to: a turn; or a task, for what a person has done with it. */
    scope: text('scope').$type<TurnId | TaskId>().notNull(),
    key: text('key').notNull(),
    description: text('description').notNull(),
    state: text('state', { enum: effectStates }).notNull(),
    /** What came of it, or why it failed. */
    result: text('result'),
    intendedAt: integer('intended_at').notNull(),
    finishedAt: integer('finished_at'),
  },
  (table) => [uniqueIndex('effects_by_key').on(table.scope, table.key)],
);
