import { mkdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { ifThere } from '../../shared/kernel/system-error.ts';
import type { WorkspaceFailure } from '../ports/workspace.ts';
import { attempt, missingDirectory } from './git/git-failure.ts';
import type { Git } from './git/git-process.ts';
import { findCheckout, ProjectRepository } from './git/project-repository.ts';
import { SnapshotStore } from './git/snapshot-store.ts';
import type { RoomPaths } from './room-paths.ts';

/** What a room's directory is, and where its snapshots are kept. */
export interface Ground {
  /** The folder whose files are the content: the whole repository, or the directory itself outside one. */
  readonly root: string;
  /** Null where the directory is worked in directly. */
  readonly project: ProjectRepository | null;
  readonly store: SnapshotStore;
}

/**
 * Looks at a room's directory. A folder of a repository stands for the whole repository; one in which the
 * repository tracks nothing (a project below a home directory that is one, say) is no part of it.
 */
export class GroundFinder {
  readonly #git: Git;
  readonly #directory: string;
  readonly #paths: RoomPaths;
  #last: Ground | null = null;
  #looking: Promise<Result<Ground, WorkspaceFailure>> | null = null;

  public constructor(git: Git, directory: string, paths: RoomPaths) {
    this.#git = git;
    this.#directory = directory;
    this.#paths = paths;
  }

  /** What the directory is now. A repository that is still where it was is not asked again. */
  public find(): Promise<Result<Ground, WorkspaceFailure>> {
    // Asked twice at once, it looks once: the first look may have to make the store.
    this.#looking ??= attempt(`looking at ${this.#directory}`, () => this.#look()).finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** The store, also when the directory is gone: snapshots stay readable. */
  public async store(): Promise<Result<SnapshotStore, WorkspaceFailure>> {
    if (this.#last !== null) return ok(this.#last.store);
    const ground = await this.find();
    return ground.ok ? ok(ground.value.store) : openStore(this.#git, this.#paths, null);
  }

  async #look(): Promise<Result<Ground, WorkspaceFailure>> {
    const there = await ifThere(stat(this.#directory));
    if (there === null) return err(missingDirectory(this.#directory));
    if (!there.isDirectory()) {
      return err({
        tag: 'not_a_directory',
        message: `${this.#directory} is not a directory.`,
        next: 'Give the room the directory that the work is in.',
      });
    }
    if (this.#last !== null && (await isStillThere(this.#last))) return ok(this.#last);
    const project = await this.#findProject();
    if (!project.ok) return project;
    const store = await openStore(this.#git, this.#paths, project.value);
    if (!store.ok) return store;
    const root = project.value?.checkout.topLevel ?? (await realpath(this.#directory));
    this.#last = { root, project: project.value, store: store.value };
    return ok(this.#last);
  }

  async #findProject(): Promise<Result<ProjectRepository | null, WorkspaceFailure>> {
    const real = await realpath(this.#directory);
    const checkout = await findCheckout(this.#git, real);
    if (!checkout.ok || checkout.value === null) return checkout.ok ? ok(null) : checkout;
    const project = new ProjectRepository(this.#git, checkout.value);
    if (checkout.value.topLevel === real) return ok(project);
    const tracks = await project.tracksBelow(real);
    return tracks.ok ? ok(tracks.value ? project : null) : tracks;
  }
}

async function isStillThere({ root, project }: Ground): Promise<boolean> {
  if (project === null) return false;
  const needed = [join(root, '.git'), project.checkout.gitDirectory, project.checkout.commonDirectory];
  const found = await Promise.all(needed.map((one) => ifThere(stat(one))));
  return !found.includes(null);
}

/** Opens the room's store, making it where needed. */
export function openStore(
  git: Git,
  paths: RoomPaths,
  project: ProjectRepository | null,
): Promise<Result<SnapshotStore, WorkspaceFailure>> {
  return attempt(`making the room's data directory ${paths.root}`, async () => {
    await mkdir(paths.root, { recursive: true });
    const lenders = project === null ? null : join(project.checkout.commonDirectory, 'objects');
    return SnapshotStore.open(git, paths.store, project?.checkout.objectFormat ?? 'sha1', lenders);
  });
}
