import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { engineNames } from '../../../shared/vocabulary/words.ts';

/** Accounts that are used up or shut out, and until when no turn is given to them. */
export const coolDowns = sqliteTable(
  'cool_downs',
  {
    engine: text('engine', { enum: engineNames }).notNull(),
    account: text('account').notNull(),
    since: integer('since').notNull(),
    until: integer('until').notNull(),
    /** Whether time alone heals it; else a person has to change something. */
    passes: integer('passes', { mode: 'boolean' }).notNull(),
    /** Why, in the words of the other side. */
    reason: text('reason').notNull(),
  },
  (table) => [primaryKey({ columns: [table.engine, table.account] })],
);
