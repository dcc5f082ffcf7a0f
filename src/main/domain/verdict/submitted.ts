import { z } from 'zod';
import { parseJson } from '../../../shared/kernel/json.ts';
import { describeFailure } from '../../../shared/kernel/result.ts';
import { SUBMIT_VERDICT } from '../../../shared/vocabulary/words.ts';
import type { Role, Verdict } from '../../../shared/vocabulary/words.ts';
import type { Report } from '../tribunal/event.ts';
import { readVerdict } from './read-verdict.ts';
import type { Reading } from './reading.ts';
import { checkSubmission, emptyReport } from './submission.ts';
import type { Submission } from './submission.ts';

/** How a turn ended, with what its verdict carried. */
export interface ReadReport {
  readonly reading: Reading;
  readonly report: Report;
}

/**
 * Reads all calls of `submit_verdict` in one turn. Calls that were refused do not count; of several that name the
 * same verdict the last one's report counts; two different verdicts are none.
 */
export function readSubmissions(role: Role, nonce: string, calls: readonly unknown[]): ReadReport {
  const submissions: Submission[] = [];
  let refusal: string | null = null;
  for (const call of calls) {
    const checked = checkSubmission(role, nonce, call);
    if (checked.ok) submissions.push(checked.value);
    else refusal = checked.failure.message;
  }
  const last = submissions.at(-1);
  if (last === undefined) return none(refusal ?? `${SUBMIT_VERDICT} was not called.`);
  const other = submissions.find(({ verdict }) => verdict !== last.verdict);
  if (other !== undefined) {
    return none(
      `${SUBMIT_VERDICT} was called with two different verdicts, ${other.verdict} and ${last.verdict}.`,
    );
  }
  return { reading: { kind: 'verdict', verdict: last.verdict, via: 'tool' }, report: last.report };
}

/**
 * Reads what a program that carried out a turn wrote on standard output. One JSON object with a `verdict` is a
 * submission, in which `text` may be what it has to say; it need not carry the nonce, since the program is ours
 * and nobody else writes there, but a wrong one is refused. Everything else is read as text.
 */
export function readProgramOutput(
  role: Role,
  nonce: string,
  stdout: string,
): ReadReport & { readonly text: string } {
  const said = jsonObject(stdout);
  if (said === null || !Object.hasOwn(said, 'verdict')) {
    return { reading: readVerdict(role, stdout), report: emptyReport, text: stdout };
  }
  const { text = '', ...submission } = said;
  if (typeof text !== 'string')
    return { ...none('The "text" beside the verdict is not a string.'), text: stdout };
  const checked = checkSubmission(role, nonce, { nonce, ...submission });
  if (!checked.ok) return { ...none(describeFailure(checked.failure)), text: stdout };
  const { verdict, report } = checked.value;
  return { reading: { kind: 'verdict', verdict, via: 'tool' }, report, text };
}

const anyObject = z.record(z.string(), z.unknown());

/** The object of a text that is one JSON object and nothing else. */
function jsonObject(text: string): Readonly<Record<string, unknown>> | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return null;
  // Text that only looks like JSON is text.
  return anyObject.safeParse(parseJson(trimmed)).data ?? null;
}

/** A reading for a person or a script: the verdict or null, and why. */
export function explainReading(reading: Reading): {
  readonly verdict: Verdict | null;
  readonly reason: string;
} {
  if (reading.kind === 'none') return { verdict: null, reason: reading.reason };
  const where =
    reading.via === 'tool'
      ? `${SUBMIT_VERDICT} was called with it`
      : 'a status line says it, and nothing takes it back';
  return { verdict: reading.verdict, reason: `${reading.verdict}: ${where}.` };
}

function none(reason: string): ReadReport {
  return { reading: { kind: 'none', reason }, report: emptyReport };
}
