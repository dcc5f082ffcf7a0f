import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Service } from '../../../shared/contract/service.ts';
import type { RoomView } from '../../../shared/contract/views.ts';
import { err, messageOf, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { roomLines } from '../rendering/pages.ts';
import { readSettings, withFlags } from '../room-settings.ts';
import { withHost } from '../session.ts';
import { realDirectory } from './work-room.ts';

/** Lists the rooms. */
export function listRooms(context: Context): Promise<ExitCode> {
  const { screen } = context;
  return withHost(context, 'look', async ({ service }) => {
    const rooms = await service.call('rooms.list', {});
    if (!rooms.ok) return rooms;
    screen.result(rooms.value, () => roomLines(rooms.value, screen.colours));
    return ok(exitCodes.done);
  });
}

/** Makes a room, or changes the settings that are given. */
export function setRoom(call: CallOf<'set-room'>, context: Context): Promise<ExitCode> {
  const { screen } = context;
  return withHost(context, 'look', async ({ service }) => {
    const rooms = await service.call('rooms.list', {});
    if (!rooms.ok) return rooms;
    const room = rooms.value.find(({ settings }) => settings.name === call.room) ?? null;
    const saved = await saveRoom(service, room, call, context);
    if (!saved.ok) return saved;
    const { settings } = saved.value;
    screen.result(saved.value, () => [
      `Room ${settings.name} ${room === null ? 'was made' : 'is set up'} for ${settings.directory}.`,
      ...(saved.value.openTask === null
        ? []
        : ['Its open task keeps its mode, budgets and criteria; engines are chosen anew for each turn.']),
    ]);
    return ok(exitCodes.done);
  });
}

async function saveRoom(
  service: Service,
  room: RoomView | null,
  call: CallOf<'set-room'>,
  { directory: currentDirectory }: Context,
): Promise<Result<RoomView>> {
  const file = call.file === null ? ok({}) : await readSettingsFile(resolve(currentDirectory, call.file));
  if (!file.ok) return file;
  const directory =
    call.directory === null ? null : await realDirectory(resolve(currentDirectory, call.directory));
  if (directory !== null && !directory.ok) return directory;
  const before = {
    ...room?.settings,
    ...file.value,
    name: call.room,
    ...(directory === null ? {} : { directory: directory.value }),
  };
  if (!('directory' in before)) return err(directoryMissing(call.room));
  const checked = readSettings(before, call.file ?? 'this command');
  if (!checked.ok) return checked;
  const settings = readSettings(withFlags(checked.value, call.flags, currentDirectory), 'this command');
  if (!settings.ok) return settings;
  return room === null
    ? service.call('rooms.create', settings.value)
    : service.call('rooms.update', { room: room.id, settings: settings.value });
}

async function readSettingsFile(path: string): Promise<Result<object>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return ok(value);
    return err({ tag: 'usage', message: `${path} holds no JSON object.` });
  } catch (thrown) {
    return err({ tag: 'usage', message: `${path} cannot be read as settings: ${messageOf(thrown)}.` });
  }
}

function directoryMissing(name: string) {
  return {
    tag: 'usage',
    message: `There is no room "${name}" yet, and a new one needs a work directory.`,
    next: 'Name it with --dir.',
  };
}
