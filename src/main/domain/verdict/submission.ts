import { z } from 'zod';
import { describeIssues } from '../../../shared/kernel/issues.ts';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import { criterionIdSchema, findingIdSchema } from '../../../shared/vocabulary/point-ids.ts';
import { arbiterVerdicts, judgements, severities, workVerdicts } from '../../../shared/vocabulary/words.ts';
import type { Role, Verdict } from '../../../shared/vocabulary/words.ts';
import type { Report } from '../tribunal/event.ts';
import { MAX_PROPOSED_CRITERIA } from '../tribunal/limits.ts';

/** Bounds that keep a report readable, for a person and for the next prompt. */
const MAX_TEXT_CHARACTERS = 4_000;
const MAX_FINDINGS = 50;
const MAX_IDS = 100;
const MAX_DECREED_CRITERIA = 20;
const MAX_NONCE_CHARACTERS = 200;

const words = z.string().trim().min(1).max(MAX_TEXT_CHARACTERS);
const maybeWords = words.nullable().default(null);

const finding = z.strictObject({
  criterion: maybeWords.describe(
    'The id or the words of the criterion that it violates; null where there is none.',
  ),
  severity: z.enum(severities).describe('"blocking" only where a criterion is not met because of it.'),
  place: maybeWords.describe('Where: a path, with lines if you can.'),
  text: words.describe('What is wrong, and what would be right.'),
  evidence: maybeWords.describe('What shows it: output, a quotation, a way to make it happen.'),
});

const judgement = z.strictObject({
  id: z
    .union([criterionIdSchema, findingIdSchema])
    .describe('A criterion ("C1") or an earlier finding ("F1").'),
  judgement: z.enum(judgements),
});

const nonce = z.string().max(MAX_NONCE_CHARACTERS).describe('The one-time word that this turn was given.');
const proposedCriteria = z
  .array(words)
  .max(MAX_PROPOSED_CRITERIA)
  .default([])
  .describe('Criteria that you propose for the task, each one checkable thing.');

/** What a role hands in with its verdict: the input of `submit_verdict`, fit for `z.toJSONSchema(…, { io: 'input' })`. */
export const submissionSchemas = {
  owner: z.strictObject({ verdict: z.enum(workVerdicts), nonce, criteria: proposedCriteria }),
  reviewer: z.strictObject({
    verdict: z.enum(workVerdicts),
    nonce,
    findings: z
      .array(finding)
      .max(MAX_FINDINGS)
      .default([])
      .describe('What is wrong with the work, most important first.'),
    judgements: z
      .array(judgement)
      .max(MAX_IDS)
      .default([])
      .describe('Of every criterion and every earlier finding.'),
    criteria: proposedCriteria,
  }),
  arbiter: z.strictObject({
    verdict: z.enum(arbiterVerdicts),
    nonce,
    criteria: z
      .array(words)
      .max(MAX_DECREED_CRITERIA)
      .default([])
      .describe('Criteria that hold from now on too.'),
    dropped: z.array(criterionIdSchema).max(MAX_IDS).default([]).describe('Criteria that hold no longer.'),
    overruled: z
      .array(findingIdSchema)
      .max(MAX_IDS)
      .default([])
      .describe('Findings that are set aside for good.'),
  }),
} as const satisfies Record<
  Role,
  z.ZodType<{ readonly verdict: Verdict; readonly nonce: string } & Partial<Report>>
>;

/** A verdict that was handed in as data, by the right role in the right turn. */
export interface Submission {
  readonly verdict: Verdict;
  readonly report: Report;
}

/** Told to the agent, which can call again. */
export interface SubmissionFailure extends Failure {
  readonly tag: 'wrong_nonce' | 'wrong_shape';
}

/** What comes with a verdict that came as text. */
export const emptyReport: Report = { findings: [], judgements: [], criteria: [], dropped: [], overruled: [] };

/** Whether one call of `submit_verdict` counts for this role and turn, and if not, why. */
export function checkSubmission(
  role: Role,
  nonce: string,
  call: unknown,
): Result<Submission, SubmissionFailure> {
  const parsed = submissionSchemas[role].safeParse(call);
  if (!parsed.success) {
    return err({
      tag: 'wrong_shape',
      message: `The ${role}'s verdict does not have the shape that it needs: ${describeIssues(parsed.error)}.`,
      next: 'Call again with these points put right.',
    });
  }
  const { verdict, nonce: given, ...report } = parsed.data;
  if (given !== nonce) {
    return err({
      tag: 'wrong_nonce',
      message: "The verdict does not carry this turn's nonce, so it does not count.",
      next: "Call again with the nonce from this turn's instructions.",
    });
  }
  return ok({ verdict, report: { ...emptyReport, ...report } });
}
