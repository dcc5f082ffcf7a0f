import { z } from 'zod';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import type { EscalationView } from '../../../shared/contract/views.ts';
import type { Service } from '../../../shared/contract/service.ts';
import { criterionIdSchema } from '../../../shared/vocabulary/point-ids.ts';
import type { CriterionId } from '../../../shared/vocabulary/point-ids.ts';
import type { Answer } from '../../../shared/vocabulary/words.ts';
import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
import { needsWords, takesWords } from '../rendering/questions.ts';
import { withHost } from '../session.ts';
import { findEscalation } from '../short-ids.ts';
import { readMessage } from './message-text.ts';

/** Answers a question, and follows the task on. */
export async function answer(call: CallOf<'answer'>, context: Context): Promise<ExitCode> {
  const text = await readText(call, context);
  if (!text.ok) return refuse(context, text.failure);
  const dropped = readDropped(call.dropped);
  if (!dropped.ok) return refuse(context, dropped.failure);
  return withHost(context, call.wait ? 'work' : 'running', async (session) => {
    const { service } = session;
    const found = await findOpen(service, call.escalation);
    if (!found.ok) return found;
    const { id, room, shown } = found.value;
    const input = {
      escalation: id,
      answer: call.answer,
      text: text.value,
      criteria: [...call.criteria],
      dropped: dropped.value,
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

/** What the answer says beside itself. Words that nobody would read are refused, so that none is dropped in silence. */
async function readText({ answer, words }: CallOf<'answer'>, { person }: Context): Promise<Result<string>> {
  if (words.length === 0) return needsWords(answer) ? err(wordsMissing) : ok('');
  return takesWords(answer) ? readMessage(person, words) : err(wordsNotTaken(answer));
}

const wordsMissing: Failure = {
  tag: 'usage',
  message: 'Sending work back needs words that say what should be done.',
  next: 'Write them behind the answer, in quotes; "-" reads them from standard input.',
};

function wordsNotTaken(answer: Answer): Failure {
  if (answer === 'allow') {
    return {
      tag: 'answer_takes_no_words',
      message: 'The answer "allow" lets the agent go on, which would not read words that come with it.',
      next: 'Leave them out, or answer refuse with them; `tribune send` says something to the agent.',
    };
  }
  return {
    tag: 'answer_takes_no_words',
    message: `The answer "${answer}" ends the task, so nobody would read words that come with it.`,
    next: 'Leave them out, or answer send_back with them, so that the owner works on.',
  };
}

function readDropped(dropped: readonly string[]): Result<CriterionId[]> {
  const ids = z.array(criterionIdSchema).safeParse(dropped);
  if (ids.success) return ok(ids.data);
  return err({
    tag: 'usage',
    message: `Nothing can be struck by the name of ${dropped.join(', ')}.`,
    next: 'Name criteria as `tribune show` lists them, such as C2.',
  });
}

function refuse({ screen }: Context, failure: Failure): ExitCode {
  screen.fail(failure);
  return exitCodes.usage;
}

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
