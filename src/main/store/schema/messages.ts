import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { messageRoles, messageStatuses, messageTypes } from '../../../shared/vocabulary/words.ts';
import type { MessageId, OutboxId, RoomId, TaskId } from '../../../shared/vocabulary/ids.ts';
import type { ChannelAddress } from '../../ports/channel.ts';
import { json } from './columns.ts';
import { rooms } from './rooms.ts';
import { messagePayloadSchema } from './shapes.ts';

/** What was said. Has room for every column of AgentComms' event table. */
export const messages = sqliteTable(
  'messages',
  {
    id: text('id').$type<MessageId>().primaryKey(),
    channel: text('channel').$type<ChannelAddress>().notNull(),
    roomId: text('room_id')
      .$type<RoomId>()
      .references(() => rooms.id),
    taskId: text('task_id').$type<TaskId>(),
    /** Whom it is to, or who said it: an agent's id or name; it need not be registered. */
    agentId: text('agent_id'),
    /** The agent that sent it to another one. */
    sourceAgentId: text('source_agent_id'),
    type: text('type', { enum: messageTypes }).notNull(),
    role: text('role', { enum: messageRoles }).notNull(),
    status: text('status', { enum: messageStatuses }).notNull(),
    timestamp: integer('timestamp').notNull(),
    payload: json('payload', messagePayloadSchema).notNull(),
  },
  (table) => [
    index('messages_by_room').on(table.roomId, table.id),
    index('messages_by_agent').on(table.agentId, table.timestamp),
    index('messages_by_channel').on(table.channel, table.id),
    index('messages_by_task').on(table.taskId, table.id),
  ],
);

/** What came in from outside, by the id that its source gave it: nothing is accepted twice. */
export const inbox = sqliteTable('inbox', {
  sourceId: text('source_id').primaryKey(),
  messageId: text('message_id')
    .$type<MessageId>()
    .notNull()
    .references(() => messages.id),
  receivedAt: integer('received_at').notNull(),
});

/** What has to go out. */
export const outbox = sqliteTable(
  'outbox',
  {
    id: text('id').$type<OutboxId>().primaryKey(),
    messageId: text('message_id')
      .$type<MessageId>()
      .notNull()
      .references(() => messages.id),
    channel: text('channel').$type<ChannelAddress>().notNull(),
    state: text('state', { enum: ['pending', 'sent', 'failed'] }).notNull(),
    /** Tries so far. */
    attempt: integer('attempt').notNull(),
    runAt: integer('run_at').notNull(),
    lastError: text('last_error'),
    sentAt: integer('sent_at'),
  },
  (table) => [index('outbox_due').on(table.state, table.runAt)],
);
