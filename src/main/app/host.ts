import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { systemClock } from '../../shared/kernel/clock.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { Service } from '../../shared/contract/service.ts';
import type { Steps } from '../../shared/kernel/steps.ts';
import type { NewId, RoomId } from '../../shared/vocabulary/ids.ts';
import type { Handlers } from '../gateway/handlers/handler.ts';
import { createService } from '../gateway/service.ts';
import { createClientGuard } from '../gateway/socket/peer/client-guard.ts';
import { serveSocket } from '../gateway/socket/socket-server.ts';
import { socketPathFor } from '../gateway/socket/socket-path.ts';
import { Applies } from '../rooms/applies.ts';
import { Dispatcher } from '../rooms/dispatcher.ts';
import { OutboxSender } from '../rooms/outbox-sender.ts';
import { Requests } from '../rooms/requests.ts';
import { ulidsBy } from '../store/new-id.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { seeProcess } from '../terminals/agent-processes.ts';
import { endLeftovers } from '../terminals/leftovers.ts';
import { createLoginPath } from '../terminals/login-path.ts';
import { RunningTrees } from '../terminals/running-trees.ts';
import { openAgentSupport } from './agent-support.ts';
import type { AgentSupportOptions } from './agent-support.ts';
import { assembleParts } from './assemble.ts';
import { readConfig } from './config.ts';
import type { Config } from './config/schema.ts';
import { createDoctor } from './doctor.ts';
import { RoomWorkspaces } from './room-workspaces.ts';
import { recover } from './recover.ts';
import { closing, shutDown } from './shutdown.ts';
import type { Closing } from './shutdown.ts';
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
  /** Resolves when no other program uses it any more; null where none does now. */
  idle(): Promise<void> | null;
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
  const { clock = systemClock } = options;
  const dataDirectory = resolve(options.dataDirectory);
  const config = readConfig(dataDirectory);
  if (!config.ok) return config;
  const newId = ulidsBy(clock);
  const bootId = randomUUID();
  const store = openStore({ directory: dataDirectory, clock, newId, bootId });
  if (!store.ok) return store;
  const closings: Closing[] = [
    closing('store', STORE_DEADLINE_MS, () => {
      store.value.close();
    }),
  ];
  const close = (): Promise<readonly string[]> => shutDown(closings.toReversed(), clock);
  try {
    const opened = await openOn(
      { ...options, dataDirectory, clock, newId, bootId, work: options.work ?? true },
      config.value,
      store.value,
      closings,
    );
    if (!opened.ok) await close();
    return opened.ok ? ok({ ...opened.value, close }) : opened;
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Makes and starts everything that stands on the store; each part is noted for its end on the line after it is made. */
async function openOn(
  options: HostOptions & AgentSupportOptions & { readonly newId: NewId },
  config: Config,
  store: Store,
  closings: Closing[],
): Promise<Result<Omit<Host, 'close'>>> {
  const { dataDirectory, environment, clock, work } = options;
  const startedAt = clock.now();
  const hasOpenTask = (room: RoomId): boolean => store.tasks.openOf(room) !== null;
  const workspaces = new RoomWorkspaces({ dataDirectory, environment, hasOpenTask });
  closings.push(closing('workspaces', WORKSPACES_DEADLINE_MS, () => workspaces.close()));
  recover(store, await endLeftovers({ clock, label: dataDirectory, environment }));
  const running = new RunningTrees();
  const loginPath = createLoginPath({ clock, environment });
  const agents = await openAgentSupport(options, config, store, closings);
  if (!agents.ok) return agents;
  const parts = assembleParts({ ...options, ...agents.value, workspaces, running, loginPath }, config, store);
  const outbox = new OutboxSender(parts);
  closings.push(closing('outbox', OUTBOX_DEADLINE_MS, () => outbox.stop()));
  const applies = new Applies(parts);
  closings.push(closing('applies', APPLIES_DEADLINE_MS, () => applies.settled()));
  const dispatcher = work ? new Dispatcher(parts, config.turnsAtOnce) : null;
  closings.push(closing('turns', TURNS_DEADLINE_MS, () => dispatcher?.stop()));
  const requests = new Requests(parts);
  const ownHandlers: Handlers<'host'> = {
    'host.status': () =>
      ok({
        version: VERSION,
        startedAt,
        dataDirectory,
        rooms: store.rooms.list().length,
        running: dispatcher?.running ?? 0,
        turnsAtOnce: config.turnsAtOnce,
      }),
    'host.doctor': createDoctor(parts, config, environment, loginPath),
  };
  const serviceFor = (client: string): Service =>
    createService({ parts, requests, applies, client }, ownHandlers);
  const guard = createClientGuard({
    see: (pid) => seeProcess(pid, running, environment),
    refused: (refusal) => store.events.append({ type: 'client.refused', data: { ...refusal } }),
  });
  const socketPath = socketPathFor(dataDirectory);
  const socket = work ? await serveSocket({ path: socketPath, serviceFor, guard, clock }) : ok(null);
  if (!socket.ok) return err(socket.failure);
  closings.push(closing('socket', SOCKET_DEADLINE_MS, () => socket.value?.close()));
  outbox.look();
  if (work) await applies.finishLost();
  dispatcher?.begin();
  if (work) agents.value.clearLeftovers();
  return ok({
    service: serviceFor(`the host's own process, pid ${process.pid}`),
    socketPath,
    idle: () => socket.value?.idle() ?? null,
  });
}
