import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { ifThere } from '../../shared/kernel/system-error.ts';
import type { SnapshotId } from '../../shared/vocabulary/ids.ts';
import type {
  Comparison,
  DependencyFolder,
  OpenWorkspace,
  Snapshot,
  WorkspaceFailure,
  WritableFiles,
} from '../ports/workspace.ts';
import { takeSnapshot } from './content/take-snapshot.ts';
import type { Place } from './content/take-snapshot.ts';
import { dependencyFolders } from './dependency-folders.ts';
import { DirectoryFiles } from './files/directory-files.ts';
import { attempt } from './git/git-failure.ts';
import type { SnapshotStore, WorkTree } from './git/snapshot-store.ts';
import { removeFolder } from './remove-folder.ts';
import type { TaskRecord } from './task-record.ts';

export interface TaskWorkspaceParts {
  readonly store: SnapshotStore;
  readonly place: Place;
  readonly record: TaskRecord;
  /** Our own files about the task. */
  readonly folder: string;
  /** Runs a change alone, and turns what the file system refuses into a failure. */
  guarded<T>(
    what: string,
    work: () => Promise<Result<T, WorkspaceFailure>>,
  ): Promise<Result<T, WorkspaceFailure>>;
  /** Makes a snapshot independent of the person's repository. */
  keep(snapshot: SnapshotId): Promise<Result<void, WorkspaceFailure>>;
  /** Drops what is remembered of the place. */
  forget(): void;
}

/** Where a task's owner works. */
export class TaskWorkspace implements OpenWorkspace {
  readonly #parts: TaskWorkspaceParts;
  public readonly directory: string;
  public readonly files: WritableFiles;

  public constructor(parts: TaskWorkspaceParts) {
    this.#parts = parts;
    this.directory = parts.record.directory;
    this.files = new DirectoryFiles(parts.store, parts.place);
  }

  public snapshot(): Promise<Result<Snapshot, WorkspaceFailure>> {
    return this.#parts.guarded('taking a snapshot', async () => {
      const { store, place, record } = this.#parts;
      const there = await this.#requireDirectory();
      if (!there.ok) return there;
      const kept = await this.#parts.keep(record.base as SnapshotId);
      const snapshot = kept.ok ? await takeSnapshot(store, place, false) : kept;
      // A crash spoiled the index, or objects of the base are gone: everything can be read anew.
      return !snapshot.ok && snapshot.failure.tag === 'git_failed' ? this.#snapshotAnew(null) : snapshot;
    });
  }

  public compare(approved: SnapshotId): Promise<Result<Comparison, WorkspaceFailure>> {
    return this.#parts.guarded('comparing with the approved snapshot', async () => {
      const there = await this.#requireDirectory();
      if (!there.ok) return there;
      const known = await this.#parts.store.require(approved);
      if (!known.ok) return known;
      const kept = await this.#parts.keep(this.#parts.record.base as SnapshotId);
      const snapshot = await this.#snapshotAnew(kept.ok ? approved : null);
      return snapshot.ok ? ok({ equal: snapshot.value.id === approved, snapshot: snapshot.value }) : snapshot;
    });
  }

  public reset(base: SnapshotId): Promise<Result<void, WorkspaceFailure>> {
    return this.#parts.guarded('putting the content back', async () => {
      const { store, place, record } = this.#parts;
      const known = await store.require(base);
      if (!known.ok) return known;
      if (place.project !== null && record.worktree !== null) {
        await mkdir(record.directory, { recursive: true });
        await place.project.repair(record.worktree.branch);
      }
      // Brings all that is content into the index, so that git knows what to take away.
      const before = await this.#snapshotAnew(null);
      if (!before.ok) return before;
      place.known.setIndexed(null);
      const populated = await populate(store, place, base);
      if (!populated.ok) return populated;
      if (place.project !== null && record.worktree !== null) {
        const pointed = await place.project.pointAt(record.worktree.branch, record.worktree.head);
        if (!pointed.ok) return pointed;
      }
      const after = await takeSnapshot(store, place, false);
      if (!after.ok) return after;
      return after.value.id === base ? ok(undefined) : err(this.#stillDifferent(base));
    });
  }

  public dependencyFolders(
    paths: readonly string[],
  ): Promise<Result<readonly DependencyFolder[], WorkspaceFailure>> {
    return attempt('looking for the dependency folders', async () => {
      const there = await this.#requireDirectory();
      return there.ok ? ok(await dependencyFolders(this.directory, paths)) : there;
    });
  }

  public async remove(): Promise<Result<void, WorkspaceFailure>> {
    const { place, record, folder } = this.#parts;
    const aside = `${record.directory}.removed`;
    const forgotten = await this.#parts.guarded('removing the worktree', async () => {
      if (place.project !== null && record.worktree !== null) {
        const { branch, head } = record.worktree;
        const removed = await place.project.removeWorktree(branch, head, aside);
        if (!removed.ok) return removed;
      }
      await rm(folder, { recursive: true, force: true });
      this.#parts.forget();
      return ok(undefined);
    });
    if (!forgotten.ok) return forgotten;
    // The files go while the room works on: there can be very many of them.
    return attempt('removing the worktree', async () => {
      await removeFolder(aside);
      return ok(undefined);
    });
  }

  async #requireDirectory(): Promise<Result<void, WorkspaceFailure>> {
    const found = await ifThere(lstat(this.directory));
    if (found?.isDirectory() === true) return ok(undefined);
    return err({
      tag: 'missing',
      message: `The place of work ${this.directory} is gone: something deleted or replaced it.`,
      next: 'Put the task back to its base, or stop it; its snapshots are safe.',
    });
  }

  /**
   * A snapshot that trusts no cache: its index begins without any stat data, holding at most the names in `seed`.
   * It then takes the place of the index there was.
   */
  async #snapshotAnew(seed: SnapshotId | null): Promise<Result<Snapshot, WorkspaceFailure>> {
    const { store, place } = this.#parts;
    const anew = { ...place, indexFile: `${place.indexFile}.anew` };
    place.known.distrust();
    await rm(anew.indexFile, { force: true });
    if (seed !== null) {
      const object = await store.require(seed);
      if (!object.ok) return object;
      const seeded = await store.run(['read-tree', object.value], { workTree: anew });
      if (!seeded.ok) return seeded;
    }
    const snapshot = await takeSnapshot(store, anew, false);
    if (snapshot.ok) await rename(anew.indexFile, place.indexFile);
    else place.known.setIndexed(null);
    return snapshot;
  }

  #stillDifferent(base: SnapshotId): WorkspaceFailure {
    return {
      tag: 'git_failed',
      message: `${this.directory} still differs from ${base} after it was put back: something changed it meanwhile.`,
      next: 'End what still writes there, then try again.',
    };
  }
}

/** Makes a directory hold a snapshot: writes what differs, and deletes what the index has and the snapshot has not. */
export async function populate(
  store: SnapshotStore,
  workTree: WorkTree,
  snapshot: SnapshotId,
): Promise<Result<void, WorkspaceFailure>> {
  const object = await store.require(snapshot);
  if (!object.ok) return object;
  const read = await store.run(['read-tree', '--reset', '-u', object.value], { workTree, borrowing: true });
  return read.ok ? ok(undefined) : read;
}
