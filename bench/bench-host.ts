import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHost } from '../src/main/app/host.ts';
import type { RoomSettingsInput } from '../src/shared/contract/room.ts';
import { roomSettingsSchema } from '../src/shared/contract/room.ts';
import type { Service } from '../src/shared/contract/service.ts';
import { describeFailure } from '../src/shared/kernel/result.ts';
import type { Result } from '../src/shared/kernel/result.ts';
import { stepsWatchedBy } from '../src/shared/kernel/steps.ts';
import type { Script } from '../test/fakes/messages-server/script.ts';
import { startMessagesServer } from '../test/fakes/messages-server/server.ts';
import type { MessagesServer } from '../test/fakes/messages-server/server.ts';
import type { Scratch } from './scratch.ts';
import { StepTimes } from './step-times.ts';

/** A host in this process, whose model is a script on loopback. */
export interface BenchHost {
  readonly service: Service;
  readonly steps: StepTimes;
  readonly server: MessagesServer;
}

/** The whole host, as `tribune start` opens it, with its data in the scratch folder. */
export async function openBenchHost(scratch: Scratch, script: Script): Promise<BenchHost> {
  const server = await startMessagesServer(script);
  scratch.scope.add('the model', () => server.close());
  const dataDirectory = scratch.folder('data');
  // Without an arbiter a deadlock is a person's at once, so that each message leads to one turn of each role.
  writeFileSync(join(dataDirectory, 'config.json'), JSON.stringify({ roles: { arbiter: null } }));
  const steps = new StepTimes();
  const host = valueOf(
    await openHost({
      dataDirectory,
      environment: benchEnvironment(server.url),
      steps: stepsWatchedBy(steps),
    }),
  );
  scratch.scope.add('the host', async () => {
    await host.close();
  });
  return { service: host.service, steps, server };
}

/** What a host is started with to have this server for its model. */
export function benchEnvironment(modelUrl: string): NodeJS.ProcessEnv {
  return { ...process.env, ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'any' };
}

export async function makeRoom(service: Service, settings: RoomSettingsInput): Promise<void> {
  valueOf(await service.call('rooms.create', roomSettingsSchema.parse(settings)));
}

export async function send(service: Service, room: string, text: string): Promise<string> {
  return valueOf(await service.call('messages.send', { room, text })).task;
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

/** A measurement has no use for a failure: it ends the run. */
export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(describeFailure(result.failure));
  return result.value;
}
