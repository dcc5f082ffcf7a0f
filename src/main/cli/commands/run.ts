import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { withHost } from '../session.ts';
import { sendMessage } from './send.ts';
import { readMessage } from './message-text.ts';
import { workRoom } from './work-room.ts';

/** Gives a directory a piece of work. */
export async function run(call: CallOf<'run'>, context: Context): Promise<ExitCode> {
  const { screen } = context;
  const text = await readMessage(context.person, call.words);
  if (!text.ok) {
    screen.fail(text.failure);
    return exitCodes.usage;
  }
  return withHost(context, call.wait ? 'work' : 'running', async (session) => {
    const room = await workRoom(session.service, call, context);
    if (!room.ok) return room;
    const { name } = room.value.settings;
    return sendMessage(context, session, { ...call, room: name, text: text.value });
  });
}
