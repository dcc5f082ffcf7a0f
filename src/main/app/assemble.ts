import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/kernel/clock.ts';
import { unwatchedSteps } from '../../shared/kernel/steps.ts';
import type { Steps } from '../../shared/kernel/steps.ts';
import type { NewId } from '../../shared/vocabulary/ids.ts';
import { localChannel } from '../channels/local/local-channel.ts';
import { createReferenceModels } from '../engines/reference-models/reference-models.ts';
import { LiveFeed } from '../rooms/live-feed.ts';
import { LiveTurns } from '../rooms/live-turns.ts';
import type { Parts } from '../rooms/parts.ts';
import { Proceedings } from '../rooms/proceedings.ts';
import type { Store } from '../store/store.ts';
import { createHostPlaces } from '../terminals/host-place/host-places.ts';
import type { LoginPath } from '../terminals/login-path.ts';
import type { RunningTrees } from '../terminals/running-trees.ts';
import { createTerminals } from '../terminals/terminals.ts';
import type { AgentSupport } from './agent-support.ts';
import { createAccounts } from './config/accounts.ts';
import { createConsult } from './config/consultation.ts';
import type { Config } from './config/schema.ts';
import { createEngines } from './engines.ts';
import { usdOfCall } from './model-prices.ts';
import { findResources } from './resources.ts';
import type { RoomWorkspaces } from './room-workspaces.ts';

/** What the parts are made of. */
export interface Ingredients extends AgentSupport {
  readonly dataDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly workspaces: RoomWorkspaces;
  /** What runs in terminals, of whichever kind. */
  readonly running: RunningTrees;
  readonly loginPath: LoginPath;
  readonly steps?: Steps;
}

/** Bytes of a turn's nonce: nobody guesses 96 bits. */
const NONCE_BYTES = 12;

/** Makes what rooms work with, each once. */
export function assembleParts(ingredients: Ingredients, config: Config, store: Store): Parts {
  const { dataDirectory, environment, clock, newId, workspaces, steps = unwatchedSteps } = ingredients;
  const { running, loginPath, gates, seals } = ingredients;
  const here = { clock, environment, label: dataDirectory, running };
  const terminals = createTerminals(here);
  const liveTurns = new LiveTurns();
  const hostPlaces = createHostPlaces({ ...here, path: () => loginPath.path() });
  const { owner, reviewer, arbiter } = config.roles;
  return {
    store,
    clock,
    newId,
    newNonce: () => randomBytes(NONCE_BYTES).toString('hex'),
    steps,
    engines: createEngines({ clock, environment, terminals, gates, hostPlaces }, config),
    accounts: createAccounts(config, environment),
    terminals,
    seals,
    hostPlaces,
    channels: new Map([[localChannel.kind, localChannel]]),
    inspect: (directory) => workspaces.inspect(directory),
    workspaceOf: (room) => workspaces.of(room),
    defaultRoles: { owner, reviewer, ...(arbiter === null ? {} : { arbiter }) },
    defaultFallbacks: config.fallbacks,
    consult: createConsult(config, environment, createReferenceModels({ clock, fetch, usdOf: usdOfCall })),
    resourcesDirectory: findResources(),
    proceedings: new Proceedings({ store, clock, newId, liveTurns }),
    liveTurns,
    liveFeed: new LiveFeed(),
  };
}
