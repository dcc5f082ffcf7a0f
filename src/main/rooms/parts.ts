import type { Result } from '../../shared/kernel/result.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import type { Steps } from '../../shared/kernel/steps.ts';
import type { NewId } from '../../shared/vocabulary/ids.ts';
import type { EngineName, Role } from '../../shared/vocabulary/words.ts';
import type { EngineSettings, RoomSettings } from '../../shared/contract/room.ts';
import type { Accounts } from '../ports/accounts.ts';
import type { Channel } from '../ports/channel.ts';
import type { HostPlaces } from '../ports/coding-cli.ts';
import type { Engine } from '../ports/engine.ts';
import type { ArbiterQuestion, Consultation } from '../ports/reference-models.ts';
import type { Seals } from '../ports/seals.ts';
import type { Terminals } from '../ports/terminal.ts';
import type { DirectoryReport, Workspace } from '../ports/workspace.ts';
import type { Room } from '../store/rooms.ts';
import type { Store } from '../store/store.ts';
import type { LiveFeed } from './live-feed.ts';
import type { LiveTurns } from './live-turns.ts';
import type { Proceedings } from './proceedings.ts';

/** Puts an arbiter's question to the reference models of the settings. Never rejects. */
export type Consult = (question: ArbiterQuestion, signal: AbortSignal) => Promise<Consultation>;

/** What the rooms work with. The app makes each once and hands them in. */
export interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: NewId;
  /** A word that nobody can guess, for one turn's verdict. */
  readonly newNonce: () => string;
  readonly steps: Steps;
  readonly engines: ReadonlyMap<EngineName, Engine>;
  readonly accounts: Accounts;
  readonly terminals: Terminals;
  readonly hostPlaces: HostPlaces;
  readonly seals: Seals;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly workspaceOf: (room: Room) => Workspace;
  /** Looks at a directory that may become a room's. */
  readonly inspect: (directory: string) => Promise<Result<DirectoryReport>>;
  /** Engines for the roles that a room leaves open. A host without an arbiter has none here. */
  readonly defaultRoles: Readonly<Partial<Record<Role, EngineSettings>>>;
  /** Engines that take over where a room names none of its own. */
  readonly defaultFallbacks: RoomSettings['fallbacks'];
  /** Asks other models before an arbiter judges; null where there are none. */
  readonly consult: Consult | null;
  readonly resourcesDirectory: string;
  readonly proceedings: Proceedings;
  readonly liveTurns: LiveTurns;
  readonly liveFeed: LiveFeed;
}

/** The engine that has this role in a room: the room's own, which for an arbiter may be none, else the host's. */
export function roleSettings(
  parts: Pick<Parts, 'defaultRoles'>,
  room: Room,
  role: Role,
): EngineSettings | null {
  const own = room.settings.roles[role];
  return own === undefined ? (parts.defaultRoles[role] ?? null) : own;
}

/** The engine that takes a role's turns while its own is used up: the room's, else the host's; null where there is none. */
export function fallbackSettings(
  parts: Pick<Parts, 'defaultFallbacks'>,
  room: Room,
  role: Role,
): EngineSettings | null {
  return room.settings.fallbacks[role] ?? parts.defaultFallbacks[role] ?? null;
}
