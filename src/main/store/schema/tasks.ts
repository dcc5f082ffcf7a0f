import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import {
  answers,
  budgetLimits,
  criterionSources,
  endings,
  judgements,
  origins,
  roomModes,
  severities,
  taskStates,
} from '../../../shared/vocabulary/words.ts';
import type { EscalationId, RoomId, SnapshotId, TaskId } from '../../../shared/vocabulary/ids.ts';
import type { CriterionId, FindingId } from '../../../shared/vocabulary/point-ids.ts';
import { impasses, questionKinds } from '../../domain/tribunal/task.ts';
import { json } from './columns.ts';
import { rooms } from './rooms.ts';
import { answersSchema, asksSchema, backSchema, messageIdsSchema, stringsSchema } from './shapes.ts';

/** The tribunal's task (domain/tribunal/task.ts) without its lists, and what the host keeps beside it. */
export const tasks = sqliteTable(
  'tasks',
  {
    id: text('id').$type<TaskId>().primaryKey(),
    roomId: text('room_id')
      .$type<RoomId>()
      .notNull()
      .references(() => rooms.id),
    title: text('title').notNull(),
    origin: text('origin', { enum: origins }).notNull(),
    request: text('request').notNull(),
    mode: text('mode', { enum: roomModes }).notNull(),
    hasArbiter: integer('has_arbiter', { mode: 'boolean' }).notNull(),
    direct: integer('direct', { mode: 'boolean' }).notNull(),
    budgetUsd: real('budget_usd').notNull(),
    budgetTokens: real('budget_tokens').notNull(),
    budgetMinutes: real('budget_minutes').notNull(),
    budgetRounds: integer('budget_rounds').notNull(),
    /** How many budgets it may use. */
    budgets: integer('budgets').notNull(),
    state: text('state', { enum: taskStates }).notNull(),
    ending: text('ending', { enum: endings }),
    nextTurn: integer('next_turn').notNull(),
    nextQuestion: integer('next_question').notNull(),
    waiting: json('waiting', messageIdsSchema).notNull(),
    base: text('base').$type<SnapshotId>(),
    content: text('content').$type<SnapshotId>(),
    reviewed: text('reviewed').$type<SnapshotId>(),
    approved: text('approved').$type<SnapshotId>(),
    criteriaFixed: integer('criteria_fixed', { mode: 'boolean' }).notNull(),
    ruling: text('ruling'),
    arbitrationAfter: text('arbitration_after', { enum: impasses }),
    asked: json('asked', asksSchema).notNull(),
    rounds: integer('rounds').notNull(),
    roundsWithoutProgress: integer('rounds_without_progress').notNull(),
    retries: integer('retries').notNull(),
    arbitrations: integer('arbitrations').notNull(),
    changedFinishes: integer('changed_finishes').notNull(),
    /** The finished and not yet applied task whose content this one started from. */
    ancestorId: text('ancestor_id')
      .$type<TaskId>()
      .references((): AnySQLiteColumn => tasks.id),
    /** The person's directory as it stood when the chain of tasks began: what `apply` compares with. */
    personBase: text('person_base').$type<SnapshotId>(),
    createdAt: integer('created_at').notNull(),
    endedAt: integer('ended_at'),
    appliedAt: integer('applied_at'),
  },
  (table) => [
    index('tasks_by_room').on(table.roomId, table.createdAt),
    uniqueIndex('tasks_one_open_per_room')
      .on(table.roomId)
      .where(sql`state <> 'completed'`),
  ],
);

export const criteria = sqliteTable(
  'criteria',
  {
    taskId: text('task_id')
      .$type<TaskId>()
      .notNull()
      .references(() => tasks.id),
    id: text('id').$type<CriterionId>().notNull(),
    position: integer('position').notNull(),
    text: text('text').notNull(),
    source: text('source', { enum: criterionSources }).notNull(),
    judgement: text('judgement', { enum: judgements }),
  },
  (table) => [primaryKey({ columns: [table.taskId, table.id] })],
);

export const findings = sqliteTable(
  'findings',
  {
    taskId: text('task_id')
      .$type<TaskId>()
      .notNull()
      .references(() => tasks.id),
    id: text('id').$type<FindingId>().notNull(),
    position: integer('position').notNull(),
    criterion: text('criterion').$type<CriterionId>(),
    severity: text('severity', { enum: severities }).notNull(),
    place: text('place'),
    text: text('text').notNull(),
    evidence: text('evidence'),
    judgement: text('judgement', { enum: judgements }).notNull(),
    overruled: integer('overruled', { mode: 'boolean' }).notNull(),
    freeText: integer('free_text', { mode: 'boolean' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.taskId, table.id] })],
);

/** What a person is asked: the tribunal's questions, and what a running turn needs their word for. */
export const escalationKinds = [...questionKinds, 'permission'] as const;

/** Questions to a person; of each of the two sorts at most one of a task is open. */
export const escalations = sqliteTable(
  'escalations',
  {
    id: text('id').$type<EscalationId>().primaryKey(),
    taskId: text('task_id')
      .$type<TaskId>()
      .notNull()
      .references(() => tasks.id),
    /** The question's number in its task; of a permission that of the turn that asks. */
    number: integer('number').notNull(),
    kind: text('kind', { enum: escalationKinds }).notNull(),
    text: text('text').notNull(),
    answers: json('answers', answersSchema).notNull(),
    snapshot: text('snapshot').$type<SnapshotId>(),
    limit: text('limit', { enum: budgetLimits }),
    back: json('back', backSchema).notNull(),
    /** SHA-256 of what a person is shown: an answer to anything else is none. */
    shownHash: text('shown_hash').notNull(),
    state: text('state', { enum: ['open', 'answered', 'withdrawn'] }).notNull(),
    answer: text('answer', { enum: answers }),
    answerText: text('answer_text'),
    /** The surface, and where it knows one the person, that answered. */
    answeredBy: text('answered_by'),
    createdAt: integer('created_at').notNull(),
    closedAt: integer('closed_at'),
  },
  (table) => [
    uniqueIndex('escalations_by_number')
      .on(table.taskId, table.number)
      .where(sql`kind <> 'permission'`),
    uniqueIndex('escalations_one_open_per_task')
      .on(table.taskId)
      .where(sql`state = 'open' and kind <> 'permission'`),
    uniqueIndex('escalations_one_open_permission_per_task')
      .on(table.taskId)
      .where(sql`state = 'open' and kind = 'permission'`),
    index('escalations_by_state').on(table.state, table.createdAt),
  ],
);

export const snapshotKinds = ['base', 'content', 'kept'] as const;

/** Each taking of a snapshot; equal content has the equal id, so one id can be taken more than once. */
export const snapshots = sqliteTable(
  'snapshots',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    id: text('id').$type<SnapshotId>().notNull(),
    roomId: text('room_id')
      .$type<RoomId>()
      .notNull()
      .references(() => rooms.id),
    taskId: text('task_id')
      .$type<TaskId>()
      .references(() => tasks.id),
    kind: text('kind', { enum: snapshotKinds }).notNull(),
    /** Files that were left out because they look like secrets. */
    leftOut: json('left_out', stringsSchema).notNull(),
    takenAt: integer('taken_at').notNull(),
  },
  (table) => [index('snapshots_by_task').on(table.taskId), index('snapshots_by_room').on(table.roomId)],
);
