import { counted } from '../../../shared/kernel/text.ts';
import { SUBMIT_VERDICT } from '../../../shared/vocabulary/words.ts';
import type { CallPermit, FollowUp, TurnRequest } from '../../ports/engine.ts';

/** To a session whose program was ended in the middle of a turn. */
export function goOnNote({ nonce }: TurnRequest): string {
  return `The turn was interrupted, and goes on now. Its nonce is ${nonce}. Look at what is there before you repeat anything.`;
}

/** To an agent whose budget is used up. */
export function wrapUpNote(permit: Extract<CallPermit, { kind: 'wrap_up' }>): string {
  return `The task's budget (${permit.limit}) is used up. Bring the work into a state that can be kept, and finish now with ${SUBMIT_VERDICT}, within ${counted(permit.callsLeft, 'reply')}.`;
}

/** To a session whose program could not be told anything while it worked. */
export function followUpNote({ nonce }: TurnRequest, followUps: readonly FollowUp[]): string {
  return [
    'These messages came while you worked:',
    ...followUps.map(({ text }) => text),
    `The turn goes on with them, and ends with ${SUBMIT_VERDICT} as before. Its nonce is still ${nonce}.`,
  ].join('\n\n');
}
