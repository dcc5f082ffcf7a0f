import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Every start of a host on this database. A boot without an end died; what it held is void. */
export const hostBoots = sqliteTable('host_boots', {
  id: text('id').primaryKey(),
  pid: integer('pid').notNull(),
  startedAt: integer('started_at').notNull(),
  /** When it closed the store in good order. */
  endedAt: integer('ended_at'),
});
