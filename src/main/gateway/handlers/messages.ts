import { ok } from '../../../shared/kernel/result.ts';
import { findRoom } from './handler.ts';
import type { HandlerContext, Handlers } from './handler.ts';

export function messageHandlers(context: HandlerContext): Handlers<'messages'> {
  return {
    'messages.send': async ({ room: name, text, source }) => {
      const room = findRoom(context, name);
      if (!room.ok) return room;
      const named = `local:${source ?? context.parts.newId('message')}`;
      return ok(await context.requests.accept(room.value, { text, source: named }));
    },
  };
}
