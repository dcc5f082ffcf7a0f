import { err, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import type { TaskId } from '../../../shared/vocabulary/ids.ts';
import type { Room } from '../../store/rooms.ts';
import type { Store } from '../../store/store.ts';
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
        const free = mayMoveTo(store, room.value, settings.directory);
        if (!free.ok) return free;
        const updated = store.rooms.update(roomId, settings);
        if (!updated.ok) return updated;
        store.events.append({ type: 'room.updated', roomId, data: { name: settings.name } });
        return ok(roomView(store, updated.value));
      });
    },
  };
}

/**
 * Work is brought into the directory that it was begun from. So a room that has some keeps its directory: applied to
 * another one, it would overwrite files of that.
 */
function mayMoveTo(store: Store, room: Room, directory: string): Result<void> {
  if (directory === room.settings.directory) return ok(undefined);
  const open = store.tasks.openOf(room.id)?.id ?? null;
  const last = store.tasks.lastUnapplied(room.id)?.taskId ?? null;
  if (open === null && last === null) return ok(undefined);
  return err(unappliedWork(room, open, last === null ? [] : store.tasks.chainOf(last)));
}

/** `unapplied` has the newest first: applying that brings the others along. */
function unappliedWork(room: Room, open: TaskId | null, unapplied: readonly TaskId[]): Failure {
  const [last] = unapplied;
  const work = [
    ...(open === null ? [] : [`${open} (open)`]),
    ...unapplied.map((task) => `${task} (not applied)`),
  ];
  const steps = [
    ...(open === null ? [] : [`Let the open task end, or stop it with \`tribune stop ${open}\`.`]),
    ...(last === undefined ? [] : [`Bring what is done into the directory with \`tribune apply ${last}\`.`]),
    'Or make another room for the other directory.',
  ];
  return {
    tag: 'unapplied_work',
    message: `Room ${room.name} has work that belongs to ${room.settings.directory}: ${work.join(', ')}.`,
    next: steps.join(' '),
  };
}
