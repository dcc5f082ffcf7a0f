import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RoomSettingsInput } from '../src/shared/contract/room.ts';
import { roomSettingsSchema } from '../src/shared/contract/room.ts';
import type { Service } from '../src/shared/contract/service.ts';
import type { Script } from '../test/fakes/messages-server/script.ts';
import { startMessagesServer } from '../test/fakes/messages-server/server.ts';
import type { MessagesServer } from '../test/fakes/messages-server/server.ts';
import { startHost, valueOf } from './programs.ts';
import type { Scratch } from './scratch.ts';

/** The built host in a process of its own, whose model is a script in this one. */
export interface BenchHost {
  readonly service: Service;
  readonly server: MessagesServer;
  /** When the next request reaches the model, in milliseconds of `performance.now()`: the engine has started by then. */
  readonly nextRequest: () => Promise<number>;
}

/** The host as `tribune start` runs it, with its data in a folder of this name in the scratch folder. */
export async function openBenchHost(scratch: Scratch, script: Script, folder = 'data'): Promise<BenchHost> {
  let waiting: ((at: number) => void)[] = [];
  const server = await startMessagesServer((request, number) => {
    const now = performance.now();
    for (const tell of waiting) tell(now);
    waiting = [];
    return script(request, number);
  });
  scratch.scope.add('the model', () => server.close());
  const dataDirectory = scratch.folder(folder);
  // Without an arbiter a deadlock is a person's at once, so that each message leads to one turn of each role.
  writeFileSync(join(dataDirectory, 'config.json'), JSON.stringify({ roles: { arbiter: null } }));
  const { service } = await startHost(scratch, dataDirectory, server.url);
  return {
    service,
    server,
    nextRequest: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
  };
}

export async function makeRoom(service: Service, settings: RoomSettingsInput): Promise<void> {
  valueOf(await service.call('rooms.create', roomSettingsSchema.parse(settings)));
}

export async function send(service: Service, room: string, text: string): Promise<void> {
  valueOf(await service.call('messages.send', { room, text }));
}

/** Resolves at the next event of this type. */
export function nextEvent(service: Service, type: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = service.follow(
      {},
      (item) => {
        if (!('event' in item) || item.event.type !== type) return;
        stop();
        resolve();
      },
      (reason) => {
        reject(new Error(`The host told no "${type}": ${reason}`));
      },
    );
  });
}
