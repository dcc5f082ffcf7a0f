import { mkdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { err, ok, type Result } from '../../shared/kernel/result.ts';
import { secretExcludeLines } from '../../shared/kernel/secret-shapes.ts';
import type { WorkspaceFailure } from '../ports/workspace.ts';
import { writeRules } from './content/ignore-rules.ts';
import { failureOfFileSystem } from './git/git-failure.ts';
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
export async function findGround(
  git: Git,
  directory: string,
  paths: RoomPaths,
): Promise<Result<Ground, WorkspaceFailure>> {
  const there = await stat(directory).catch(() => null);
  if (there === null) {
    return err({
      tag: 'missing',
      message: `The directory ${directory} is not there.`,
      next: 'Make it again, or give the room another directory.',
    });
  }
  if (!there.isDirectory()) {
    return err({
      tag: 'not_a_directory',
      message: `${directory} is not a directory.`,
      next: 'Give the room the directory that the work is in.',
    });
  }
  const real = await realpath(directory);
  const checkout = await findCheckout(git, real);
  if (!checkout.ok) return checkout;
  let project = checkout.value === null ? null : new ProjectRepository(git, checkout.value);
  if (project !== null && project.checkout.topLevel !== real) {
    const tracks = await project.tracksBelow(real);
    if (!tracks.ok) return tracks;
    if (!tracks.value) project = null;
  }
  const store = await openStore(git, paths, project);
  return store.ok ? ok({ root: project?.checkout.topLevel ?? real, project, store: store.value }) : store;
}

/** Opens the room's store, making it where needed. */
export async function openStore(
  git: Git,
  paths: RoomPaths,
  project: ProjectRepository | null,
): Promise<Result<SnapshotStore, WorkspaceFailure>> {
  try {
    await mkdir(paths.root, { recursive: true });
    await writeRules(paths.secrets, secretExcludeLines());
    const lenders = project === null ? null : path.join(project.checkout.commonDirectory, 'objects');
    return await SnapshotStore.open(git, paths.store, project?.checkout.objectFormat ?? 'sha1', lenders);
  } catch (cause) {
    return err(failureOfFileSystem(`making the room's data directory ${paths.root}`, cause));
  }
}
