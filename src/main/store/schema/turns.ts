import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import {
  budgetLimits,
  engineNames,
  roles,
  turnOutcomes,
  turnPhases,
  turnPurposes,
  verdicts as verdictWords,
} from '../../../shared/vocabulary/words.ts';
import type {
  AttemptId,
  CallId,
  SessionId,
  TaskId,
  TurnId,
  VerdictId,
} from '../../../shared/vocabulary/ids.ts';
import { asks, turnSessions, turnWorkspaces } from '../../domain/tribunal/task.ts';
import { json } from './columns.ts';
import { messageIdsSchema, reportSchema } from './shapes.ts';
import { tasks } from './tasks.ts';

/** A task's turns; the live one is the tribunal's `LiveTurn`. */
export const turns = sqliteTable(
  'turns',
  {
    id: text('id').$type<TurnId>().primaryKey(),
    taskId: text('task_id')
      .$type<TaskId>()
      .notNull()
      .references(() => tasks.id),
    number: integer('number').notNull(),
    role: text('role', { enum: roles }).notNull(),
    purpose: text('purpose', { enum: turnPurposes }).notNull(),
    phase: text('phase', { enum: turnPhases }).notNull(),
    attempt: integer('attempt').notNull(),
    ask: text('ask', { enum: asks }),
    session: text('session', { enum: turnSessions }).notNull(),
    workspace: text('workspace', { enum: turnWorkspaces }).notNull(),
    messages: json('messages', messageIdsSchema).notNull(),
    wrappingUp: text('wrapping_up', { enum: budgetLimits }),
    status: text('status', { enum: ['live', ...turnOutcomes] }).notNull(),
    createdAt: integer('created_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    uniqueIndex('turns_by_number').on(table.taskId, table.number),
    uniqueIndex('turns_one_live_per_task')
      .on(table.taskId)
      .where(sql`status = 'live'`),
  ],
);

export const attemptOutcomes = ['ended', 'failed', 'exhausted', 'stopped', 'lost'] as const;

/** The tries of a turn. */
export const attempts = sqliteTable(
  'attempts',
  {
    id: text('id').$type<AttemptId>().primaryKey(),
    turnId: text('turn_id')
      .$type<TurnId>()
      .notNull()
      .references(() => turns.id),
    number: integer('number').notNull(),
    /** The one-time word that a verdict of this try must carry. */
    nonce: text('nonce').notNull(),
    bootId: text('boot_id').notNull(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
    outcome: text('outcome', { enum: attemptOutcomes }),
    /** Why it failed, for the person. */
    reason: text('reason'),
    /** What it ran on; null where it came to none, and for engines without accounts. */
    engine: text('engine', { enum: engineNames }),
    account: text('account'),
    /** Of its time, how long it waited for a person's word. */
    waitedMs: integer('waited_ms').notNull().default(0),
  },
  (table) => [index('attempts_by_turn').on(table.turnId)],
);

/** Conversations of an engine; the newest of a task's role is the current one. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').$type<SessionId>().primaryKey(),
    taskId: text('task_id')
      .$type<TaskId>()
      .notNull()
      .references(() => tasks.id),
    role: text('role', { enum: roles }).notNull(),
    startedAt: integer('started_at').notNull(),
    /** Whose conversation it is: no other engine can go on in it. Null in those that are older than this column. */
    engine: text('engine', { enum: engineNames }),
  },
  (table) => [index('sessions_by_role').on(table.taskId, table.role, table.id)],
);

/** A session's conversation, as its engine writes it. */
export const sessionEntries = sqliteTable(
  'session_entries',
  {
    sessionId: text('session_id')
      .$type<SessionId>()
      .notNull()
      .references(() => sessions.id),
    position: integer('position').notNull(),
    entry: json('entry', z.unknown()).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.position] })],
);

export const modelCalls = sqliteTable(
  'model_calls',
  {
    id: text('id').$type<CallId>().primaryKey(),
    attemptId: text('attempt_id')
      .$type<AttemptId>()
      .notNull()
      .references(() => attempts.id),
    model: text('model').notNull(),
    inputTokens: integer('input_tokens').notNull(),
    outputTokens: integer('output_tokens').notNull(),
    cacheReadTokens: integer('cache_read_tokens').notNull(),
    cacheWriteTokens: integer('cache_write_tokens').notNull(),
    /** Null where no price is known. */
    usd: real('usd'),
    durationMs: real('duration_ms').notNull(),
    /** When it ended. */
    at: integer('at').notNull(),
  },
  (table) => [index('model_calls_by_attempt').on(table.attemptId)],
);

export const verdicts = sqliteTable(
  'verdicts',
  {
    id: text('id').$type<VerdictId>().primaryKey(),
    turnId: text('turn_id')
      .$type<TurnId>()
      .notNull()
      .references(() => turns.id),
    attemptId: text('attempt_id')
      .$type<AttemptId>()
      .references(() => attempts.id),
    /** Null where none could be read, for the reason that stands beside it. */
    verdict: text('verdict', { enum: verdictWords }),
    via: text('via', { enum: ['tool', 'text'] }),
    reason: text('reason'),
    /** All that the agent said. */
    text: text('text').notNull(),
    report: json('report', reportSchema).notNull(),
    at: integer('at').notNull(),
  },
  (table) => [index('verdicts_by_turn').on(table.turnId, table.id)],
);
