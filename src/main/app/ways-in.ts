import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { Service } from '../../shared/contract/service.ts';
import type { Handlers } from '../gateway/handlers/handler.ts';
import { createService } from '../gateway/service.ts';
import { createClientGuard } from '../gateway/socket/peer/client-guard.ts';
import { serveSocket } from '../gateway/socket/socket-server.ts';
import { socketPathFor } from '../gateway/socket/socket-path.ts';
import type { Parts } from '../rooms/parts.ts';
import { Requests } from '../rooms/requests.ts';
import { seeProcess } from '../terminals/agent-processes.ts';
import type { LoginPath } from '../terminals/login-path.ts';
import type { RunningTrees } from '../terminals/running-trees.ts';
import type { Config } from './config/schema.ts';
import { createDoctor } from './doctor/doctor.ts';
import { closing } from './shutdown.ts';
import type { Closing } from './shutdown.ts';
import { VERSION } from './version.ts';
import type { Workers } from './workers.ts';

/** How this process and others reach the host. */
export interface WaysIn {
  /** For this process itself. */
  readonly service: Service;
  /** Where other programs of this user reach it. */
  readonly socketPath: string;
  /** Resolves when no other program uses it any more; null where none does now. */
  idle(): Promise<void> | null;
}

/** What the ways in lead to, and by what clients are told apart. */
export interface WaysInParts {
  readonly dataDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** One that takes up no task cannot be reached from outside. */
  readonly work: boolean;
  readonly startedAt: number;
  readonly config: Config;
  readonly parts: Parts;
  readonly workers: Workers;
  readonly running: RunningTrees;
  readonly loginPath: LoginPath;
}

const SOCKET_DEADLINE_MS = 1_000;

/** Opens them, and notes the socket for its end. */
export async function openWaysIn(waysIn: WaysInParts, closings: Closing[]): Promise<Result<WaysIn>> {
  const { dataDirectory, environment, work, parts, workers, running } = waysIn;
  const { store, clock } = parts;
  const requests = new Requests(parts);
  const ownHandlers = handlersOf(waysIn);
  const serviceFor = (client: string): Service =>
    createService({ parts, requests, applies: workers.applies, client }, ownHandlers);
  const guard = createClientGuard({
    see: (pid) => seeProcess(pid, running, environment),
    refused: (refusal) => store.events.append({ type: 'client.refused', data: { ...refusal } }),
  });
  const socketPath = socketPathFor(dataDirectory);
  const socket = work ? await serveSocket({ path: socketPath, serviceFor, guard, clock }) : ok(null);
  if (!socket.ok) return err(socket.failure);
  closings.push(closing('socket', SOCKET_DEADLINE_MS, () => socket.value?.close()));
  return ok({
    service: serviceFor(`the host's own process, pid ${process.pid}`),
    socketPath,
    idle: () => socket.value?.idle() ?? null,
  });
}

/** What the host answers of itself. */
function handlersOf({
  dataDirectory,
  environment,
  startedAt,
  config,
  ...rest
}: WaysInParts): Handlers<'host'> {
  const { parts, workers, loginPath } = rest;
  return {
    'host.status': () =>
      ok({
        version: VERSION,
        startedAt,
        dataDirectory,
        rooms: parts.store.rooms.list().length,
        running: workers.running(),
        turnsAtOnce: config.turnsAtOnce,
      }),
    'host.doctor': createDoctor(parts, config, environment, loginPath),
  };
}
