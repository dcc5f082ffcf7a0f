import { ok } from '../../../shared/kernel/result.ts';
import { findRoom } from './handler.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { roomView } from './views.ts';

/** A room is made for a directory that can be worked in; what happens to it later is told when a turn starts. */
export function roomHandlers(context: HandlerContext): Handlers<'rooms'> {
  const { store } = context.parts;
  return {
    'rooms.list': () => ok(store.rooms.list().map((room) => roomView(store, room))),
    'rooms.create': async (settings) => {
      const usable = await context.parts.inspect(settings.directory);
      if (!usable.ok) return usable;
      return store.transaction(() => {
        const created = store.rooms.create(settings);
        if (!created.ok) return created;
        const { id: roomId } = created.value;
        store.events.append({ type: 'room.created', roomId, data: { name: settings.name } });
        return ok(roomView(store, created.value));
      });
    },
    'rooms.propose': async ({ directory }) => {
      const report = await context.parts.inspect(directory);
      if (!report.ok) return report;
      const { proposedSetup, proposedDependencies } = report.value;
      return ok({ setup: proposedSetup, dependencies: [...proposedDependencies] });
    },
    'rooms.update': async ({ room: name, settings }) => {
      const room = findRoom(context, name);
      if (!room.ok) return room;
      const usable = await context.parts.inspect(settings.directory);
      if (!usable.ok) return usable;
      const roomId = room.value.id;
      return store.transaction(() => {
        const updated = store.rooms.update(roomId, settings);
        if (!updated.ok) return updated;
        store.events.append({ type: 'room.updated', roomId, data: { name: settings.name } });
        return ok(roomView(store, updated.value));
      });
    },
  };
}
