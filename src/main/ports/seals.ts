import type { Result } from '../../shared/kernel/result.ts';
import type { RoomId } from '../../shared/vocabulary/ids.ts';
import type { CliFailure, OpenCliPlace } from './coding-cli.ts';
import type { DependencyFolder } from './workspace.ts';

/** Containers in which agents work sealed: one warm container a room, each turn in it by itself. */
export interface Seals {
  /** Whether there is a container engine that can seal, and the image; says what it found, or what to do. */
  check(): Promise<Result<string, CliFailure>>;
  /** Makes the room's container ready, replaced where it is not what is asked for, and a place in it for one turn. */
  open(request: SealRequest, signal: AbortSignal): Promise<Result<SealedPlace, CliFailure>>;
  /** Removes containers that earlier boots of this install left behind, whatever state they are in; gives how many. */
  removeLeftovers(): Promise<Result<number, CliFailure>>;
  /** Removes this boot's containers. */
  close(): Promise<void>;
}

/** What one turn needs of its room's container. */
export interface SealRequest {
  readonly room: RoomId;
  /** A directory of the host whose folders are snapshots; mounted read-only, with all that is mounted below. */
  readonly snapshots: string;
  /** The folder in it that this turn works in. */
  readonly snapshot: string;
  /** The room's dependency folders, mounted read-only beside the copy: where they are in the work, and on the host. */
  readonly dependencies: readonly DependencyFolder[];
  /** An owner's worktree, mounted writable in place of the snapshots; null for roles that only read. */
  readonly worktree: string | null;
  /** Tells sessions apart that must not see each other's: the task and the role. */
  readonly session: string;
}

/** A place in a container for one turn. Closing it ends every process of the turn inside, and empties the copy. */
export interface SealedPlace extends OpenCliPlace {
  /** What the probe tried in this container at its start, and what came of it. */
  readonly probe: ProbeFindings;
}

/** A container, and whether its seal held. */
export interface ProbeFindings {
  /** What the container is, such as `docker 20.10.24, image tribune-reviewer@sha256:…`. */
  readonly container: string;
  /** Each attempt to get out; `held` is false where one succeeded. */
  readonly attempts: readonly { readonly name: string; readonly held: boolean; readonly detail: string }[];
}
