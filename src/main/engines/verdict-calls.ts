import { z } from 'zod';
import type { Result } from '../../shared/kernel/result.ts';
import type { Role } from '../../shared/vocabulary/words.ts';
import {
  checkSubmission,
  submissionSchemas,
  type Submission,
  type SubmissionFailure,
} from '../domain/verdict/submission.ts';
import { readSubmissions, type ReadReport } from '../domain/verdict/submitted.ts';

/** Beside what the tribunal reads, a verdict has words for people, and for the next agent: an arbiter's ruling. */
const words = {
  summary: z
    .string()
    .trim()
    .max(8_000)
    .default('')
    .describe('What you did and what you saw, or your ruling, in plain words.'),
};

/** What the tool that ends a turn takes, for each role. */
export const verdictInputs = {
  owner: submissionSchemas.owner.extend(words),
  reviewer: submissionSchemas.reviewer.extend(words),
  arbiter: submissionSchemas.arbiter.extend(words),
} as const satisfies Record<Role, z.ZodObject>;

/** The nonce is not in it, so that the tools of all turns are the same, and cached. */
export const VERDICT_TOOL_DESCRIPTION =
  'Ends your turn with a verdict. Call it once, when you have finished, with the nonce that this turn was given. Nothing that you say after it counts.';

/** One call of the tool: whether it counts, and the words that came with it. */
export function readVerdictCall(
  role: Role,
  nonce: string,
  call: unknown,
): { readonly checked: Result<Submission, SubmissionFailure>; readonly summary: string } {
  const { summary, submission } = splitWords(call);
  return { checked: checkSubmission(role, nonce, submission), summary };
}

/** What an agent has submitted in a turn. */
export interface Submitted extends ReadReport {
  /** The words of the verdicts that were accepted. */
  readonly summaries: readonly string[];
}

/** What the calls of `submit_verdict` in a turn come to; null where none was accepted. */
export function readSubmitted(role: Role, nonce: string, calls: readonly unknown[]): Submitted | null {
  const accepted = calls.filter((call) => readVerdictCall(role, nonce, call).checked.ok).map(splitWords);
  if (accepted.length === 0) return null;
  const summaries = accepted.map(({ summary }) => summary).filter((summary) => summary !== '');
  const submissions = accepted.map(({ submission }) => submission);
  return { ...readSubmissions(role, nonce, submissions), summaries };
}

const withWords = z.looseObject(words);

function splitWords(call: unknown): { readonly summary: string; readonly submission: unknown } {
  const parsed = withWords.safeParse(call);
  if (!parsed.success) return { summary: '', submission: call };
  const { summary, ...submission } = parsed.data;
  return { summary, submission };
}
