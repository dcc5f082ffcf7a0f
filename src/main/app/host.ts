import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { systemClock } from '../../shared/kernel/clock.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import { ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { Steps } from '../../shared/kernel/steps.ts';
import type { NewId, RoomId } from '../../shared/vocabulary/ids.ts';
import { ulidsBy } from '../store/new-id.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { endLeftovers } from '../terminals/leftovers.ts';
import { createLoginPath } from '../terminals/login-path.ts';
import { RunningTrees } from '../terminals/running-trees.ts';
import { openAgentSupport } from './agent-support.ts';
import type { AgentSupportOptions } from './agent-support.ts';
import { assembleParts } from './assemble.ts';
import { readConfig } from './config/read-config.ts';
import type { Config } from './config/schema.ts';
import { RoomWorkspaces } from './room-workspaces.ts';
import { recover } from './recover.ts';
import { closing, shutDown } from './shutdown.ts';
import type { Closing } from './shutdown.ts';
import { openWaysIn } from './ways-in.ts';
import type { WaysIn } from './ways-in.ts';
import { makeWorkers } from './workers.ts';

/** What a host stands on, and by what it is watched. */
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
export interface Host extends WaysIn {
  /** Ends it in good order; running turns go on with the next host. Gives what did not end well. */
  close(): Promise<readonly string[]>;
}

/** How long what workspaces do in the background gets to end, and the store to be closed. */
const WORKSPACES_DEADLINE_MS = 5_000;
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

/**
 * Makes everything that stands on the store and starts it; each part is noted for its end on the line after it is made.
 * What an earlier host has left is ended before anything new can begin.
 */
async function openOn(
  options: HostOptions & AgentSupportOptions & { readonly newId: NewId },
  config: Config,
  store: Store,
  closings: Closing[],
): Promise<Result<WaysIn>> {
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
  const workers = makeWorkers(parts, { work, turnsAtOnce: config.turnsAtOnce }, closings);
  const ground = { dataDirectory, environment, work, startedAt, config, parts, workers, running, loginPath };
  const waysIn = await openWaysIn(ground, closings);
  if (!waysIn.ok) return waysIn;
  await workers.begin();
  if (work) agents.value.clearLeftovers();
  return waysIn;
}
