import { z } from 'zod';
import { SUBMIT_VERDICT } from '../../../shared/vocabulary/words.ts';
import { submissionSchemas } from '../../domain/verdict/submission.ts';
import type { CallPermit, TurnRequest } from '../../ports/engine.ts';

/** All that a program is told, as one text on its standard input. */
export function programPrompt(
  request: TurnRequest,
  permit: Exclude<CallPermit, { kind: 'refused' }>,
): string {
  return [request.system, request.prompt, placeText(request), verdictText(request), wrapUpText(permit)]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

function placeText({ place }: TurnRequest): string {
  return place.kind === 'directory'
    ? `You are started in the work directory, ${place.directory}.`
    : 'You are started in an empty directory. What you have to judge is in this text.';
}

/** A program has no tool to call, so what it prints takes the tool's place. */
function verdictText({ role, nonce }: TurnRequest): string {
  const { properties } = z.toJSONSchema(submissionSchemas[role], { io: 'input' });
  return [
    `Here you have no tool ${SUBMIT_VERDICT}. Print, as your whole output, one JSON object in its place, with "nonce": "${nonce}" and, for people to read, what you have to say as "text". Its other properties are:`,
    JSON.stringify(properties, null, 2),
    'Or print text; then its first line must be the verdict alone, such as: DONE',
  ].join('\n\n');
}

function wrapUpText(permit: Exclude<CallPermit, { kind: 'refused' }>): string {
  return permit.kind === 'go'
    ? ''
    : `The task's budget (${permit.limit}) is used up. Bring the work into a state that can be kept, and end now.`;
}
