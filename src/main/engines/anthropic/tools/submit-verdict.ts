import { z } from 'zod';
import type { Role } from '../../../../shared/vocabulary/words.ts';
import type { Report } from '../../../domain/tribunal/event.ts';
import type { Reading } from '../../../domain/verdict/reading.ts';
import type { ToolCall } from '../conversation.ts';
import { tool, type Tool } from './tool.ts';

export const SUBMIT_VERDICT = 'submit_verdict';

// PROVISIONAL until domain/verdict/submitted.ts is there.
const schema = z.strictObject({
  verdict: z.enum(['DONE', 'DONE_WITH_CONCERNS', 'BLOCKED', 'NEEDS_CONTEXT']),
  nonce: z.string(),
  summary: z.string(),
});

/** How a turn of this role ends. */
export function submitVerdictTool(role: Role, nonce: string): Tool {
  return tool({
    name: SUBMIT_VERDICT,
    description:
      'Ends your turn with a verdict. Call it once, when you have finished, with the nonce of this turn.',
    input: schema,
    changes: false,
    summary: () => 'submit a verdict',
    run: (input) =>
      Promise.resolve(
        input.nonce === nonce
          ? { ok: true, text: 'The verdict is accepted.', summary: 'accepted' }
          : { ok: false, text: `wrong nonce for ${role}`, summary: 'wrong' },
      ),
  });
}

export interface Submitted {
  readonly reading: Reading;
  readonly report: Report;
  readonly summaries: readonly string[];
}

/** What the verdict calls of a turn come to; null where none was accepted. */
export function readSubmitted(_role: Role, nonce: string, calls: readonly ToolCall[]): Submitted | null {
  const parsed = calls
    .flatMap(({ input }) => schema.safeParse(input).data ?? [])
    .filter((c) => c.nonce === nonce);
  const [first] = parsed;
  if (first === undefined) return null;
  return {
    reading: { kind: 'verdict', verdict: first.verdict, via: 'tool' },
    report: { findings: [], judgements: [], criteria: [], dropped: [], overruled: [] },
    summaries: parsed.map(({ summary }) => summary),
  };
}
