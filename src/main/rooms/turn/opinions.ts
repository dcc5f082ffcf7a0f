import type { TurnDesk } from '../../ports/engine.ts';
import type { ArbiterQuestion } from '../../ports/reference-models.ts';
import type { BegunTry } from './try.ts';

/**
 * What the reference models say to an arbiter's question, for the end of its prompt; empty where there is none. A
 * session that goes on has been told already. Nothing that goes wrong with them keeps the arbiter from judging.
 */
export async function opinionsFor(
  { parts, turn, newSession }: BegunTry,
  desk: TurnDesk,
  question: () => ArbiterQuestion,
  signal: AbortSignal,
): Promise<string> {
  const { consult } = parts;
  const isTold = !newSession && desk.transcript.entries().length > 0;
  if (consult === null || turn.role !== 'arbiter' || isTold) return '';
  if (desk.beforeCall().kind !== 'go') {
    desk.report({ type: 'notice', text: 'The budget is used up, so no reference models were asked.' });
    return '';
  }
  const { opinions, failures, calls, block } = await consult(question(), signal);
  for (const call of calls) desk.recordCall(call);
  for (const { name, reason } of failures) {
    desk.report({ type: 'notice', text: `The reference model ${name} gave no opinion: ${reason}` });
  }
  if (opinions.length === 0)
    desk.report({ type: 'notice', text: 'The arbiter judges without other opinions.' });
  return block;
}
