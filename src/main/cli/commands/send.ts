import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
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
  if (!wait) {
    const sent = await service.call('messages.send', { room, text });
    if (!sent.ok) return sent;
    const { task } = sent.value;
    context.screen.result(sent.value, () => [
      `Sent to task ${task} in room ${room}. See: tribune show ${task}`,
    ]);
    return ok(exitCodes.done);
  }
  return followTask(context, { service, ...session }, { room, verbose }, async () => {
    const sent = await service.call('messages.send', { room, text });
    return sent.ok ? ok(sent.value.task) : sent;
  });
}
