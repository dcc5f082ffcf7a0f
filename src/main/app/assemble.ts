import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/kernel/clock.ts';
import { unwatchedSteps } from '../../shared/kernel/steps.ts';
import type { Steps } from '../../shared/kernel/steps.ts';
import type { NewId } from '../../shared/vocabulary/ids.ts';
import { localChannel } from '../channels/local/local-channel.ts';
import { createAnthropicEngine } from '../engines/anthropic/anthropic-engine.ts';
import { createCommandEngine } from '../engines/command/command-engine.ts';
import { LiveFeed } from '../rooms/live-feed.ts';
import { LiveTurns } from '../rooms/live-turns.ts';
import type { Parts } from '../rooms/parts.ts';
import { Proceedings } from '../rooms/proceedings.ts';
import type { Store } from '../store/store.ts';
import { createTerminals } from '../terminals/terminals.ts';
import type { Config } from './config.ts';
import { findResources } from './resources.ts';
import type { RoomWorkspaces } from './room-workspaces.ts';

/** What the parts are made of. */
export interface Ingredients {
  readonly dataDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly workspaces: RoomWorkspaces;
  readonly steps?: Steps;
}

/** Bytes of a turn's nonce: nobody guesses 96 bits. */
const NONCE_BYTES = 12;

/** Makes what rooms work with, each once. */
export function assembleParts(ingredients: Ingredients, config: Config, store: Store): Parts {
  const { dataDirectory, environment, clock, newId, workspaces, steps = unwatchedSteps } = ingredients;
  const terminals = createTerminals({ clock, environment, label: dataDirectory });
  const liveTurns = new LiveTurns();
  const baseUrl = environment['ANTHROPIC_BASE_URL'];
  const anthropic = createAnthropicEngine({
    clock,
    terminals,
    apiKey: () => environment['ANTHROPIC_API_KEY'] ?? null,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  const command = createCommandEngine({ terminals, path: environment['PATH'] ?? '' });
  const { owner, reviewer, arbiter } = config.roles;
  return {
    store,
    clock,
    newId,
    newNonce: () => randomBytes(NONCE_BYTES).toString('hex'),
    steps,
    engines: new Map([anthropic, command].map((engine) => [engine.name, engine])),
    terminals,
    channels: new Map([[localChannel.kind, localChannel]]),
    inspect: (directory) => workspaces.inspect(directory),
    workspaceOf: (room) => workspaces.of(room),
    defaultRoles: { owner, reviewer, ...(arbiter === null ? {} : { arbiter }) },
    resourcesDirectory: findResources(),
    proceedings: new Proceedings({ store, clock, newId, liveTurns }),
    liveTurns,
    liveFeed: new LiveFeed(),
  };
}
