import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Service } from '../../../shared/contract/service.ts';
import type { RoomView } from '../../../shared/contract/views.ts';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { nameFor, readSettings, withFlags } from '../room-settings.ts';
import { withProposedSetup } from './proposed-setup.ts';

type RunCall = Pick<CallOf<'run'>, 'directory' | 'room' | 'flags'>;

/** The room of a directory, with the settings that flags give it; made where there is none. */
export async function workRoom(service: Service, call: RunCall, context: Context): Promise<Result<RoomView>> {
  const currentDirectory = context.directory;
  const directory = await realDirectory(resolve(currentDirectory, call.directory));
  if (!directory.ok) return directory;
  const rooms = await service.call('rooms.list', {});
  if (!rooms.ok) return rooms;
  const found = findRoom(rooms.value, directory.value, call.room);
  if (!found.ok) return found;
  const room = found.value;
  const before = room?.settings ?? {
    name: call.room ?? nameFor(directory.value, rooms.value),
    directory: directory.value,
  };
  const checked = readSettings(before, 'this command');
  if (!checked.ok) return checked;
  const flags =
    room === null ? await withProposedSetup(service, call.flags, directory.value, context) : call.flags;
  const settings = readSettings(withFlags(checked.value, flags, currentDirectory), 'this command');
  if (!settings.ok) return settings;
  if (room === null) return service.call('rooms.create', settings.value);
  if (isDeepStrictEqual(room.settings, settings.value)) return ok(room);
  return service.call('rooms.update', { room: room.id, settings: settings.value });
}

/** A directory by the one path that it has without symbolic links. */
export async function realDirectory(path: string): Promise<Result<string>> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? ok(real) : err(noDirectory(path, 'is not a directory'));
  } catch {
    return err(noDirectory(path, 'does not exist, or cannot be read'));
  }
}

function findRoom(
  rooms: readonly RoomView[],
  directory: string,
  name: string | null,
): Result<RoomView | null> {
  const here = rooms.filter(({ settings }) => settings.directory === directory);
  if (name !== null) {
    const named = rooms.find(({ settings }) => settings.name === name) ?? null;
    return named === null || named.settings.directory === directory ? ok(named) : err(elsewhere(named));
  }
  const [room = null, ...others] = here;
  return others.length === 0 ? ok(room) : err(several(here, directory));
}

function elsewhere({ settings }: RoomView): Failure {
  return {
    tag: 'usage',
    message: `The room "${settings.name}" is the one of ${settings.directory}, another directory.`,
    next: `Use \`tribune send ${settings.name} "…"\` to speak there, or choose another --room name.`,
  };
}

function several(rooms: readonly RoomView[], directory: string): Failure {
  const names = rooms.map(({ settings }) => settings.name).join(', ');
  return {
    tag: 'usage',
    message: `${directory} has several rooms: ${names}.`,
    next: 'Choose one with --room.',
  };
}

function noDirectory(path: string, what: string): Failure {
  return { tag: 'no_directory', message: `${path} ${what}.`, next: 'Name the work directory with --dir.' };
}
