import { z } from 'zod';
import {
  answers,
  budgetLimits,
  judgements,
  roles,
  severities,
  taskStates,
  turnPurposes,
} from '../../../shared/vocabulary/words.ts';
import type { MessageId } from '../../../shared/vocabulary/ids.ts';
import type { Report } from '../../domain/tribunal/event.ts';
import type { Ask, Back, Budget, CriterionId, FindingId, LiveTurn } from '../../domain/tribunal/task.ts';

/** The shapes of what JSON columns hold. */

/** The two things that a review can be asked for again, as the tribunal names them. */
export const asks = ['verdict', 'decision'] as const satisfies readonly Ask[];

const messageIdSchema = z.templateLiteral(['msg_', z.string()]) satisfies z.ZodType<MessageId>;
const criterionIdSchema = z.templateLiteral(['C', z.number()]) satisfies z.ZodType<CriterionId>;
const findingIdSchema = z.templateLiteral(['F', z.number()]) satisfies z.ZodType<FindingId>;

export const stringsSchema = z.array(z.string()).readonly();
export const messageIdsSchema = z.array(messageIdSchema).readonly();
export const asksSchema = z.array(z.enum(asks)).readonly();
export const answersSchema = z.array(z.enum(answers)).readonly();

/** Any JSON object: what an event or a job carries is known to who wrote it. */
export const objectSchema = z.record(z.string(), z.unknown());

/** A message's payload: its words, and what its channel knows beside them (sender, reply_to, …). */
export const messagePayloadSchema = z.looseObject({ text: z.string() });

export const budgetSchema = z.object({
  usd: z.number(),
  tokens: z.number(),
  minutes: z.number(),
  rounds: z.number(),
}) satisfies z.ZodType<Budget>;

export const liveTurnSchema = z.object({
  number: z.int(),
  role: z.enum(roles),
  purpose: z.enum(turnPurposes),
  phase: z.enum(['due', 'running']),
  attempt: z.int(),
  ask: z.enum(asks).nullable(),
  session: z.enum(['continue', 'fresh']),
  workspace: z.enum(['keep', 'reset']),
  messages: messageIdsSchema,
  wrappingUp: z.enum(budgetLimits).nullable(),
}) satisfies z.ZodType<LiveTurn>;

export const backSchema = z.object({
  state: z.enum(taskStates).exclude(['awaiting_person', 'completed']),
  turn: liveTurnSchema,
}) satisfies z.ZodType<Back>;

export const reportSchema = z.object({
  findings: z
    .array(
      z.object({
        criterion: z.string().nullable(),
        severity: z.enum(severities),
        place: z.string().nullable(),
        text: z.string(),
        evidence: z.string().nullable(),
      }),
    )
    .readonly(),
  judgements: z
    .array(z.object({ id: z.union([criterionIdSchema, findingIdSchema]), judgement: z.enum(judgements) }))
    .readonly(),
  criteria: stringsSchema,
  dropped: z.array(criterionIdSchema).readonly(),
  overruled: z.array(findingIdSchema).readonly(),
}) satisfies z.ZodType<Report>;
