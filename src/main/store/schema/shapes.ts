import { z } from 'zod';
import {
  answers,
  budgetLimits,
  judgements,
  roles,
  severities,
  taskStates,
  turnPhases,
  turnPurposes,
} from '../../../shared/vocabulary/words.ts';
import { criterionIdSchema, findingIdSchema } from '../../../shared/vocabulary/point-ids.ts';
import type { MessageId } from '../../../shared/vocabulary/ids.ts';
import type { Report } from '../../domain/tribunal/event.ts';
import { asks, turnSessions, turnWorkspaces } from '../../domain/tribunal/task.ts';
import type { Back, LiveTurn } from '../../domain/tribunal/task.ts';

/** The shapes of what JSON columns hold. */

const messageIdSchema = z.templateLiteral(['msg_', z.string()]) satisfies z.ZodType<MessageId>;

export const stringsSchema = z.array(z.string()).readonly();
export const messageIdsSchema = z.array(messageIdSchema).readonly();
export const asksSchema = z.array(z.enum(asks)).readonly();
export const answersSchema = z.array(z.enum(answers)).readonly();

/** Any JSON object: what an event or a job carries is known to who wrote it. */
export const objectSchema = z.record(z.string(), z.unknown());

/** A message's payload: its words, and what its channel knows beside them (sender, reply_to, …). */
export const messagePayloadSchema = z.looseObject({ text: z.string() });

const liveTurnSchema = z.object({
  number: z.int(),
  role: z.enum(roles),
  purpose: z.enum(turnPurposes),
  phase: z.enum(turnPhases),
  attempt: z.int(),
  ask: z.enum(asks).nullable(),
  session: z.enum(turnSessions),
  workspace: z.enum(turnWorkspaces),
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
