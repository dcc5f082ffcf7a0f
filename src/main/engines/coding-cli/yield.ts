import { readVerdict } from '../../domain/verdict/read-verdict.ts';
import { emptyReport } from '../../domain/verdict/submission.ts';
import type { EngineFailure, TurnRequest, TurnYield } from '../../ports/engine.ts';
import { readSubmitted } from '../verdict-calls.ts';

/** What a turn came to, by what the program said and by the calls of `submit_verdict` that were accepted. */
export function yieldOf(
  { role, nonce }: TurnRequest,
  texts: readonly string[],
  calls: readonly unknown[],
): TurnYield {
  const submitted = readSubmitted(role, nonce, calls);
  const said = [...texts, ...(submitted?.summaries ?? [])].join('\n\n');
  // Verdicts that contradict each other were said too, even without a word beside them.
  const contradiction = submitted?.reading.kind === 'none' ? submitted.reading.reason : '';
  return {
    text: said === '' ? contradiction : said,
    reading: submitted?.reading ?? readVerdict(role, texts.at(-1) ?? ''),
    report: submitted?.report ?? emptyReport,
  };
}

/** Of what two launches of one turn came to, a verdict stands until there is a newer one. */
export function newest(before: TurnYield, after: TurnYield): TurnYield {
  const text = `${before.text}\n\n${after.text}`.trim();
  return after.reading.kind === 'verdict' ? { ...after, text } : { ...before, text };
}

/** Failures of a model call; those that come after the verdict has ended the turn take nothing of it back. */
const AFTER_VERDICT: ReadonlySet<EngineFailure['tag']> = new Set([
  'budget',
  'exhausted',
  'rate_limited',
  'overloaded',
  'network',
]);

/** Whether the verdict had been submitted before this happened, and stands. */
export function isAfterVerdict({ reading }: TurnYield, { tag }: EngineFailure): boolean {
  return reading.kind === 'verdict' && reading.via === 'tool' && AFTER_VERDICT.has(tag);
}
