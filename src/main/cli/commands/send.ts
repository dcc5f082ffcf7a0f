import type { MethodOutput } from '../../../shared/contract/contract.ts';
import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
import { safeText } from '../rendering/values.ts';
import { withHost } from '../session.ts';
import type { Session } from '../session.ts';
import { readMessage } from './message-text.ts';

/** Says something in a room. */
export async function send(call: CallOf<'send'>, context: Context): Promise<ExitCode> {
  const text = await readMessage(context.person, call.words);
  if (!text.ok) {
    context.screen.fail(text.failure);
    return exitCodes.usage;
  }
  return withHost(context, call.wait ? 'work' : 'running', (session) =>
    sendMessage(context, session, { ...call, text: text.value }),
  );
}

interface Sending {
  readonly room: string;
  readonly text: string;
  readonly wait: boolean;
  readonly verbose: boolean;
}

/** Sends a message, and follows the task that it starts or goes to. */
export async function sendMessage(
  context: Context,
  { service, ...session }: Session,
  { room, text, wait, verbose }: Sending,
): Promise<Result<ExitCode>> {
  const { screen } = context;
  const say = async (): Promise<Result<MethodOutput<'messages.send'>>> => {
    const sent = await service.call('messages.send', { room, text });
    if (!sent.ok || sent.value.started) return sent;
    const shown = await service.call('tasks.show', { task: sent.value.task });
    if (!shown.ok) return shown;
    screen.tell([`Taken up by the open task: ${safeText(shown.value.task.title)}`]);
    return sent;
  };
  if (!wait) {
    const sent = await say();
    if (!sent.ok) return sent;
    const { task } = sent.value;
    screen.result(sent.value, () => [`Sent to task ${task} in room ${room}. See: tribune show ${task}`]);
    return ok(exitCodes.done);
  }
  return followTask(context, { service, ...session }, { room, verbose }, async () => {
    const sent = await say();
    return sent.ok ? ok(sent.value.task) : sent;
  });
}
