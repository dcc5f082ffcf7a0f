import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { roomSettingsSchema } from '../../../shared/contract/room.ts';
import type { AgentId, RoomId } from '../../../shared/vocabulary/ids.ts';
import { json } from './columns.ts';
import { objectSchema } from './shapes.ts';

export const rooms = sqliteTable('rooms', {
  id: text('id').$type<RoomId>().primaryKey(),
  /** Repeats the name in the settings, so that it can be looked up and is given once. */
  name: text('name').notNull().unique(),
  settings: json('settings', roomSettingsSchema).notNull(),
  createdAt: integer('created_at').notNull(),
  archivedAt: integer('archived_at'),
});

/** Has room for every column of AgentComms' agent table. */
export const agents = sqliteTable('agents', {
  id: text('id').$type<AgentId>().primaryKey(),
  name: text('name').notNull().unique(),
  /** How it is reached; AgentComms knows `tmux` and `process`. */
  type: text('type').notNull(),
  config: json('config', objectSchema).notNull(),
  channelId: text('channel_id').unique(),
  status: text('status', { enum: ['online', 'offline'] }).notNull(),
  createdAt: integer('created_at').notNull(),
});
