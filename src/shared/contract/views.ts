import { z } from 'zod';
import {
  answers,
  budgetLimits,
  criterionSources,
  endings,
  fileChanges,
  judgements,
  origins,
  roles,
  severities,
  taskStates,
  turnPurposes,
  turnStatuses,
  verdicts,
} from '../vocabulary/words.ts';
import { roomSettingsSchema } from './room.ts';

/** What a person sees of each thing. Times are milliseconds since 1970-01-01 UTC, money is US dollars. */

const id = z.string().min(1);
const time = z.number().int();

export const roomViewSchema = z.object({
  id,
  settings: roomSettingsSchema,
  createdAt: time,
  /** The room's open task, if any. */
  openTask: id.nullable(),
});

const spendingSchema = z.object({
  /** Null where the price of a call is not known: the sum would be a guess. */
  usd: z.number().nullable(),
  tokens: z.number(),
  minutes: z.number(),
});

export const taskViewSchema = z.object({
  id,
  room: z.string(),
  title: z.string(),
  origin: z.enum(origins),
  state: z.enum(taskStates),
  ending: z.enum(endings).nullable(),
  /** Who is at work or next. */
  role: z.enum(roles).nullable(),
  /** When the next turn starts, where it has to wait: until what it runs on can be used again, or out a pause. */
  waitsUntil: time.nullable(),
  startedAt: time,
  endedAt: time.nullable(),
  appliedAt: time.nullable(),
  rounds: z.number(),
  spent: spendingSchema,
});

const findingViewSchema = z.object({
  id: z.string(),
  criterion: z.string().nullable(),
  severity: z.enum(severities),
  place: z.string().nullable(),
  text: z.string(),
  judgement: z.enum(judgements),
  overruled: z.boolean(),
});

const criterionViewSchema = z.object({
  id: z.string(),
  text: z.string(),
  source: z.enum(criterionSources),
  judgement: z.enum(judgements).nullable(),
});

const turnViewSchema = z.object({
  id,
  number: z.number(),
  role: z.enum(roles),
  purpose: z.enum(turnPurposes),
  status: z.enum(turnStatuses),
  attempts: z.number(),
  startedAt: time.nullable(),
  endedAt: time.nullable(),
  verdict: z.enum(verdicts).nullable(),
  text: z.string().nullable(),
  spent: spendingSchema,
});

export const escalationViewSchema = z.object({
  id,
  room: z.string(),
  task: id,
  title: z.string(),
  text: z.string(),
  answers: z.array(z.enum(answers)).readonly(),
  limit: z.enum(budgetLimits).nullable(),
  snapshot: z.string().nullable(),
  /** Hash of what is shown. An answer that names another hash is refused. */
  shown: z.string(),
  askedAt: time,
});

const diffFileViewSchema = z.object({
  path: z.string(),
  previousPath: z.string().nullable(),
  change: z.enum(fileChanges),
  binary: z.boolean(),
  additions: z.number(),
  deletions: z.number(),
});

export const taskDetailSchema = z.object({
  task: taskViewSchema,
  request: z.string(),
  criteria: z.array(criterionViewSchema),
  findings: z.array(findingViewSchema),
  ruling: z.string().nullable(),
  turns: z.array(turnViewSchema),
  escalation: escalationViewSchema.nullable(),
  base: z.string().nullable(),
  content: z.string().nullable(),
  approved: z.string().nullable(),
  /** Whether `tasks.apply` would bring something into the checkout that was not brought before. */
  applicable: z.boolean(),
  /** Earlier tasks whose finished and not yet applied content it started from: applying it brings theirs along. */
  standsOn: z.array(z.object({ id, title: z.string(), ending: z.enum(endings).nullable() })),
  /** Untracked files that look like secrets and were therefore not reviewed. */
  leftOut: z.array(z.string()).readonly(),
  changes: z.array(diffFileViewSchema),
});

export const eventViewSchema = z.object({
  seq: z.number().int(),
  id,
  at: time,
  type: z.string(),
  room: z.string().nullable(),
  task: id.nullable(),
  turn: id.nullable(),
  data: z.record(z.string(), z.unknown()),
});

/** What is watched while it happens and not kept: the output of a terminal, for instance. */
export const liveViewSchema = z.object({
  task: id,
  turn: id,
  kind: z.string(),
  data: z.record(z.string(), z.unknown()),
});

export const checkViewSchema = z.object({
  name: z.string(),
  ok: z.boolean(),
  /** Whether the product can run without it. */
  required: z.boolean(),
  says: z.string(),
});

export type RoomView = z.infer<typeof roomViewSchema>;
export type SpendingView = z.infer<typeof spendingSchema>;
export type TaskView = z.infer<typeof taskViewSchema>;
export type TurnView = z.infer<typeof turnViewSchema>;
export type EscalationView = z.infer<typeof escalationViewSchema>;
export type TaskDetail = z.infer<typeof taskDetailSchema>;
export type EventView = z.infer<typeof eventViewSchema>;
export type LiveView = z.infer<typeof liveViewSchema>;
export type CheckView = z.infer<typeof checkViewSchema>;
