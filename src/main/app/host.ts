import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { systemClock } from '../../shared/kernel/clock.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { Service } from '../../shared/contract/service.ts';
import type { Steps } from '../../shared/kernel/steps.ts';
import { createService } from '../gateway/service.ts';
import { serveSocket } from '../gateway/socket/socket-server.ts';
import { socketPathFor } from '../gateway/socket/socket-path.ts';
import { Applies } from '../rooms/applies.ts';
import { Dispatcher } from '../rooms/dispatcher.ts';
import { OutboxSender } from '../rooms/outbox-sender.ts';
import { Rooms } from '../rooms/rooms.ts';
import { ulidsBy } from '../store/new-id.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { endLeftovers } from '../terminals/leftovers.ts';
import { assembleParts } from './assemble.ts';
import { readConfig } from './config.ts';
import { createDoctor } from './doctor.ts';
import { RoomWorkspaces } from './room-workspaces.ts';
import { shutDown } from './shutdown.ts';
import { VERSION } from './version.ts';

export interface HostOptions {
  readonly dataDirectory: string;
  /** Variables for the programs that it starts, and ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL for itself. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /**
   * Whether it takes up tasks, as it does by default. One that does not is opened to look or to note something
   * down: it cannot be reached from outside, and leaves all work to the next host.
   */
  readonly work?: boolean;
  /** Watched by the crash test. */
  readonly steps?: Steps;
}

/** Everything that is Tribune without a screen. */
export interface Host {
  readonly service: Service;
  /** Where other programs of this user reach it. */
  readonly socketPath: string;
  /** Ends it in good order; running turns go on with the next host. Gives what did not end well. */
  close(): Promise<readonly string[]>;
}

/** How long running turns get to end their processes, what is applied to be written, and messages to arrive. */
const TURNS_DEADLINE_MS = 5_000;
const APPLIES_DEADLINE_MS = 5_000;
const OUTBOX_DEADLINE_MS = 2_000;
const WORKSPACES_DEADLINE_MS = 5_000;
const SOCKET_DEADLINE_MS = 1_000;
const STORE_DEADLINE_MS = 5_000;

/** Opens the host of a data directory. There is one at a time; a second is refused by name. */
export async function openHost(options: HostOptions): Promise<Result<Host>> {
  const clock = options.clock ?? systemClock;
  const dataDirectory = resolve(options.dataDirectory);
  const config = readConfig(dataDirectory);
  if (!config.ok) return config;
  const newId = ulidsBy(clock);
  const store = openStore({ directory: dataDirectory, clock, newId, bootId: randomUUID() });
  if (!store.ok) return store;
  const workspaces = new RoomWorkspaces({
    dataDirectory,
    environment: options.environment,
    hasOpenTask: (room) => store.value.tasks.openOf(room) !== null,
  });
  const parts = assembleParts(
    { ...options, dataDirectory, clock, newId, workspaces },
    config.value,
    store.value,
  );
  const { environment } = options;
  recover(store.value, await endLeftovers({ clock, label: dataDirectory, environment }));
  const { work = true } = options;
  const outbox = new OutboxSender(parts);
  const dispatcher = work ? new Dispatcher(parts, config.value.places) : null;
  const startedAt = clock.now();
  const applies = new Applies(parts);
  const context = { parts, rooms: new Rooms(parts), applies };
  const service = createService(context, {
    'host.status': () =>
      ok({
        version: VERSION,
        startedAt,
        dataDirectory,
        rooms: parts.store.rooms.list().length,
        running: dispatcher?.running ?? 0,
        places: config.value.places,
      }),
    'host.doctor': createDoctor(parts, config.value),
  });
  const socketPath = socketPathFor(dataDirectory);
  const socket = work ? await serveSocket({ path: socketPath, service, clock }) : ok(null);
  const phases = [
    { name: 'turns', deadlineMs: TURNS_DEADLINE_MS, end: () => dispatcher?.stop() },
    { name: 'applies', deadlineMs: APPLIES_DEADLINE_MS, end: () => applies.settled() },
    { name: 'outbox', deadlineMs: OUTBOX_DEADLINE_MS, end: () => outbox.stop() },
    { name: 'workspaces', deadlineMs: WORKSPACES_DEADLINE_MS, end: () => workspaces.close() },
    {
      name: 'store',
      deadlineMs: STORE_DEADLINE_MS,
      end: () => {
        parts.store.close();
      },
    },
  ];
  if (!socket.ok) {
    await shutDown(phases, clock);
    return err(socket.failure);
  }
  outbox.look();
  if (work) await applies.finishLost();
  dispatcher?.look();
  return ok({
    service,
    socketPath,
    close: () =>
      shutDown(
        [{ name: 'socket', deadlineMs: SOCKET_DEADLINE_MS, end: () => socket.value?.close() }, ...phases],
        clock,
      ),
  });
}

/** What a host that died had begun: its leases are void, its tries are over, its jobs wait again. */
function recover(store: Store, endedProcesses: number): void {
  store.transaction(() => {
    const lost = store.turns.endLost();
    const reclaimed = store.jobs.reclaim();
    store.events.append({
      type: 'host.started',
      data: {
        version: VERSION,
        lostAttempts: lost.length,
        unknownEffects: store.effects.endLost(),
        reclaimedJobs: reclaimed.length,
        endedProcesses,
      },
    });
  });
}
