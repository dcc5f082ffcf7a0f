import { err, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import type { EscalationView } from '../../../shared/contract/views.ts';
import type { Service } from '../../../shared/contract/service.ts';
import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
import { needsWords } from '../rendering/questions.ts';
import { withHost } from '../session.ts';
import { findEscalation } from '../short-ids.ts';
import { readWords } from './words.ts';

/** Answers a question, and follows the task on. */
export async function answer(call: CallOf<'answer'>, context: Context): Promise<ExitCode> {
  const words = await wordsOf(call, context);
  if (!words.ok) {
    context.screen.fail(words.failure);
    return exitCodes.usage;
  }
  return withHost(context, call.wait ? 'work' : 'running', async (session) => {
    const { service } = session;
    const found = await findOpen(service, call.escalation);
    if (!found.ok) return found;
    const { id, room, shown } = found.value;
    const input = {
      escalation: id,
      answer: call.answer,
      text: words.value,
      criteria: [...call.criteria],
      dropped: [...call.dropped],
      shown,
    };
    if (!call.wait) {
      const answered = await service.call('escalations.answer', input);
      if (!answered.ok) return answered;
      const task = answered.value;
      context.screen.result(task, () => [`Answered. See: tribune show ${task.id}`]);
      return ok(exitCodes.done);
    }
    return followTask(context, session, { room, verbose: call.verbose }, async () => {
      const answered = await service.call('escalations.answer', input);
      return answered.ok ? ok(answered.value.id) : answered;
    });
  });
}

async function wordsOf(call: CallOf<'answer'>, { person }: Context): Promise<Result<string>> {
  if (call.words.length > 0) return readWords(person, call.words);
  return needsWords(call.answer) ? err(wordsMissing) : ok('');
}

const wordsMissing: Failure = {
  tag: 'usage',
  message: 'Sending work back needs words that say what should be done.',
  next: 'Write them behind the answer, in quotes; "-" reads them from standard input.',
};

async function findOpen(service: Service, text: string): Promise<Result<EscalationView>> {
  const id = await findEscalation(service, text);
  if (!id.ok) return id;
  const open = await service.call('escalations.list', {});
  if (!open.ok) return open;
  const escalation = open.value.find((candidate) => candidate.id === id.value);
  return escalation === undefined ? err(notOpen(id.value)) : ok(escalation);
}

function notOpen(id: string): Failure {
  return {
    tag: 'already_closed',
    message: `The question ${id} is not open: it was answered, or no longer matters.`,
    next: 'See what waits with `tribune escalations`.',
  };
}
