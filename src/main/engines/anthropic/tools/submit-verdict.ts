import { z } from 'zod';
import { describeFailure, type Result } from '../../../../shared/kernel/result.ts';
import { SUBMIT_VERDICT } from '../../../../shared/vocabulary/words.ts';
import type { Role } from '../../../../shared/vocabulary/words.ts';
import {
  checkSubmission,
  submissionSchemas,
  type Submission,
  type SubmissionFailure,
} from '../../../domain/verdict/submission.ts';
import { readSubmissions, type ReadReport } from '../../../domain/verdict/submitted.ts';
import { tool, type Tool } from './tool.ts';

/** Beside what the tribunal reads, a verdict has words for people, and for the next agent: an arbiter's ruling. */
const words = {
  summary: z
    .string()
    .trim()
    .max(8_000)
    .default('')
    .describe('What you did and what you saw, or your ruling, in plain words.'),
};

const inputs = {
  owner: submissionSchemas.owner.extend(words),
  reviewer: submissionSchemas.reviewer.extend(words),
  arbiter: submissionSchemas.arbiter.extend(words),
} as const satisfies Record<Role, z.ZodType>;

/** Ends a turn. The nonce is not in its description, so that the tools of all turns are the same, and cached. */
export function submitVerdictTool(role: Role, nonce: string): Tool {
  return tool<{ readonly verdict: string }>({
    name: SUBMIT_VERDICT,
    description:
      'Ends your turn with a verdict. Call it once, when you have finished, with the nonce that this turn was given. Nothing that you say after it counts.',
    input: inputs[role],
    changes: false,
    summary: ({ verdict }) => `submit ${verdict}`,
    run: (input, { desk }) => {
      const checked = check(role, nonce, input);
      const { summary } = splitWords(input);
      if (checked.ok && summary !== '') desk.report({ type: 'text', text: summary });
      return Promise.resolve(
        checked.ok
          ? { ok: true, text: 'The verdict is accepted.', summary: checked.value.verdict }
          : { ok: false, text: describeFailure(checked.failure), summary: checked.failure.message },
      );
    },
  });
}

/** What an agent has submitted in a turn. */
export interface Submitted extends ReadReport {
  /** The words of the verdicts that were accepted. */
  readonly summaries: readonly string[];
}

/** What the calls of `submit_verdict` in a turn come to; null where none was accepted. */
export function readSubmitted(role: Role, nonce: string, calls: readonly unknown[]): Submitted | null {
  const accepted = calls.filter((call) => check(role, nonce, call).ok);
  if (accepted.length === 0) return null;
  const summaries = accepted.map((call) => splitWords(call).summary).filter((summary) => summary !== '');
  const submissions = accepted.map((call) => splitWords(call).submission);
  return { ...readSubmissions(role, nonce, submissions), summaries };
}

function check(role: Role, nonce: string, call: unknown): Result<Submission, SubmissionFailure> {
  return checkSubmission(role, nonce, splitWords(call).submission);
}

const withWords = z.looseObject(words);

function splitWords(call: unknown): { readonly summary: string; readonly submission: unknown } {
  const parsed = withWords.safeParse(call);
  if (!parsed.success) return { summary: '', submission: call };
  const { summary, ...submission } = parsed.data;
  return { summary, submission };
}
