import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Result } from '../../shared/kernel/result.ts';
import type { RoomId } from '../../shared/vocabulary/ids.ts';
import type { DirectoryReport, Workspace } from '../ports/workspace.ts';
import type { Room } from '../store/rooms.ts';
import { createWorkspace } from '../workspaces/workspace.ts';

/** What a workspace depends on of its room's settings. */
interface Footing {
  readonly directory: string;
  readonly dependencies: readonly string[];
}

/** One workspace a room. Two on the same data would not know of each other. */
export class RoomWorkspaces {
  readonly #dataDirectory: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #hasOpenTask: (room: RoomId) => boolean;
  readonly #current = new Map<RoomId, { readonly footing: Footing; readonly workspace: Workspace }>();
  readonly #retired = new Set<Workspace>();

  public constructor(options: {
    readonly dataDirectory: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly hasOpenTask: (room: RoomId) => boolean;
  }) {
    this.#dataDirectory = options.dataDirectory;
    this.#environment = options.environment;
    this.#hasOpenTask = options.hasOpenTask;
  }

  /** The room's workspace. Other settings hold from the room's next task on. */
  public of(room: Room): Workspace {
    const { directory, dependencies } = room.settings;
    const footing = { directory, dependencies };
    const known = this.#current.get(room.id);
    if (known !== undefined) {
      if (isDeepStrictEqual(known.footing, footing) || this.#hasOpenTask(room.id)) return known.workspace;
      this.#retired.add(known.workspace);
    }
    const dataDirectory = join(this.#dataDirectory, 'rooms', room.id);
    const workspace = createWorkspace({ ...footing, dataDirectory, environment: this.#environment });
    this.#current.set(room.id, { footing, workspace });
    return workspace;
  }

  /** Looks at a directory with a workspace that leaves nothing behind. */
  public async inspect(directory: string): Promise<Result<DirectoryReport>> {
    const scratch = await mkdtemp(join(this.#dataDirectory, 'inspection-'));
    try {
      const workspace = createWorkspace({
        directory,
        dataDirectory: scratch,
        environment: this.#environment,
      });
      const report = await workspace.inspect();
      await workspace.close();
      return report;
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  /** Waits for what still runs in the background. */
  public async close(): Promise<void> {
    const workspaces = [...this.#retired, ...[...this.#current.values()].map(({ workspace }) => workspace)];
    await Promise.all(workspaces.map((workspace) => workspace.close()));
  }
}
