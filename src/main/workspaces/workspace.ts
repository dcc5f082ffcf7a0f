import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { ifThere } from '../../shared/kernel/system-error.ts';
import type { SnapshotId, TaskId } from '../../shared/vocabulary/ids.ts';
import type {
  Applied,
  Diff,
  LaidOut,
  DirectoryReport,
  OpenWorkspace,
  ReadableFiles,
  Snapshot,
  Workspace,
  WorkspaceFailure,
} from '../ports/workspace.ts';
import { applySnapshot, undoUnfinishedApply } from './apply/apply-snapshot.ts';
import { KnownExceptions } from './content/exceptions.ts';
import { RoomRules } from './content/room-rules.ts';
import { takeSnapshot } from './content/take-snapshot.ts';
import { diffSnapshots } from './diff/diff-snapshots.ts';
import { SnapshotFiles } from './files/snapshot-files.ts';
import type { BytePath } from './git/byte-path.ts';
import { attempt } from './git/git-failure.ts';
import { createGit } from './git/git-process.ts';
import type { Git } from './git/git-process.ts';
import type { ProjectRepository } from './git/project-repository.ts';
import type { SnapshotStore } from './git/snapshot-store.ts';
import { GroundFinder, openStore } from './ground.ts';
import type { Ground } from './ground.ts';
import { LaidOutSnapshots } from './laid-out/laid-out-snapshots.ts';
import { proposeDependencies, proposeSetup } from './proposals.ts';
import { writeJsonFile } from './json-file.ts';
import { removeFolder } from './remove-folder.ts';
import { roomPaths } from './room-paths.ts';
import type { RoomPaths } from './room-paths.ts';
import { Serial } from './serial.ts';
import { readTaskRecord, worktreeOf } from './task-record.ts';
import type { TaskRecord } from './task-record.ts';
import { populate, TaskWorkspace } from './task-workspace.ts';

export interface WorkspaceOptions {
  /** The room's work directory, absolute. */
  readonly directory: string;
  /** A folder of ours for this room alone: snapshots, worktrees, indexes. Made where it is not there. */
  readonly dataDirectory: string;
  /** Folders that are never content, such as `node_modules`, relative to the content root. */
  readonly dependencies?: readonly string[];
  /** The variables to start git with; those named GIT_… are taken out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A room's workspace on git. Nothing is looked at or made before the first call. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  return new GitWorkspace(options);
}

class GitWorkspace implements Workspace {
  readonly #git: Git;
  readonly #paths: RoomPaths;
  readonly #ground: GroundFinder;
  readonly #rules: RoomRules;
  readonly #laidOut: LaidOutSnapshots;
  readonly #serial = new Serial();
  readonly #known = new Map<TaskId, KnownExceptions>();
  /** Copies of borrowed objects, by the snapshot that they make whole. */
  readonly #keeping = new Map<SnapshotId, Promise<Result<void, WorkspaceFailure>>>();

  public constructor({ directory, dataDirectory, dependencies = [], environment }: WorkspaceOptions) {
    this.#git = createGit(environment);
    this.#paths = roomPaths(resolve(dataDirectory));
    this.#laidOut = new LaidOutSnapshots(this.#paths);
    this.#ground = new GroundFinder(this.#git, resolve(directory), this.#paths);
    this.#rules = new RoomRules(this.#git, this.#paths, environment, dependencies);
  }

  public inspect(): Promise<Result<DirectoryReport, WorkspaceFailure>> {
    // Beside whatever else is done: it changes nothing, and a message waits for it.
    return attempt('looking at the directory', async () => {
      const ground = await this.#quietGround();
      if (!ground.ok) return ground;
      const { root, project } = ground.value;
      return ok({
        kind: project === null ? 'plain' : 'repository',
        proposedSetup: await proposeSetup(root),
        proposedDependencies: await proposeDependencies(root, project),
      });
    });
  }

  public snapshotOfDirectory(): Promise<Result<Snapshot, WorkspaceFailure>> {
    return this.#guarded('taking a snapshot of the directory', async () => {
      const ground = await this.#readyGround();
      return ground.ok ? this.#snapshotOf(ground.value) : ground;
    });
  }

  public async open(task: TaskId, base: SnapshotId): Promise<Result<OpenWorkspace, WorkspaceFailure>> {
    const what = `opening the place of work of ${task}`;
    const known = await attempt(what, () => this.#openAgain(task));
    if (!known.ok) return known;
    if (known.value !== null) return ok(known.value);
    return this.#guarded(what, async () => {
      const meanwhile = await this.#openAgain(task);
      if (!meanwhile.ok) return meanwhile;
      if (meanwhile.value !== null) return ok(meanwhile.value);
      const ground = await this.#readyGround();
      if (!ground.ok) return ground;
      const present = await ground.value.store.require(base);
      if (!present.ok) return present;
      const record = await this.#make(ground.value, task, base);
      if (!record.ok) return record;
      // A task stands on this snapshot from here on, so it is made independent while the task starts.
      void this.#keep(ground.value.store, base);
      return ok(await this.#workspaceOf(task, record.value, ground.value.store));
    });
  }

  public read(snapshot: SnapshotId): ReadableFiles {
    return new SnapshotFiles(() => this.#ground.store(), snapshot);
  }

  public layOut(snapshot: SnapshotId): Promise<Result<LaidOut, WorkspaceFailure>> {
    return this.#guarded('laying out a snapshot', async () => {
      const store = await this.#ground.store();
      return store.ok ? this.#laidOut.layOut(store.value, snapshot) : store;
    });
  }

  public async forgetLaidOut(needed: () => readonly SnapshotId[]): Promise<Result<void, WorkspaceFailure>> {
    const what = 'removing laid-out snapshots';
    const forgotten = await this.#guarded(what, async () => {
      await this.#laidOut.setAside(needed());
      return ok(undefined);
    });
    if (!forgotten.ok) return forgotten;
    // The files go while the room works on: there can be very many of them.
    return attempt(what, async () => {
      await this.#laidOut.sweep();
      return ok(undefined);
    });
  }

  public async diff(from: SnapshotId, to: SnapshotId): Promise<Result<Diff, WorkspaceFailure>> {
    const store = await this.#ground.store();
    return store.ok ? diffSnapshots(store.value, from, to) : store;
  }

  public apply(base: SnapshotId, approved: SnapshotId): Promise<Result<Applied, WorkspaceFailure>> {
    return this.#guarded('applying the approved snapshot', async () => {
      const ground = await this.#readyGround();
      if (!ground.ok) return ground;
      const now = await this.#snapshotOf(ground.value);
      if (!now.ok) return now;
      const { store, root } = ground.value;
      return applySnapshot({ store, root, paths: this.#paths }, { base, approved, now: now.value.id });
    });
  }

  public async close(): Promise<void> {
    await this.#serial.idle();
    await Promise.all(this.#keeping.values());
  }

  /** The directory as it is, with no merge or the like under way and no apply half done. */
  async #readyGround(): Promise<Result<Ground, WorkspaceFailure>> {
    const ground = await this.#quietGround();
    if (!ground.ok) return ground;
    const { store, root } = ground.value;
    const undone = await undoUnfinishedApply({ store, root, paths: this.#paths });
    return undone.ok ? ground : undone;
  }

  async #quietGround(): Promise<Result<Ground, WorkspaceFailure>> {
    const ground = await this.#ground.find();
    if (!ground.ok) return ground;
    const { root, project } = ground.value;
    const operation = (await project?.unfinishedOperation()) ?? null;
    if (operation !== null) {
      return err({
        tag: 'unfinished_merge',
        message: `A ${operation} is unfinished in ${root}.`,
        next: `Finish it or end it (git ${operation} --abort), then try again.`,
      });
    }
    return ground;
  }

  async #snapshotOf(ground: Ground): Promise<Result<Snapshot, WorkspaceFailure>> {
    const take = async (): Promise<Result<Snapshot, WorkspaceFailure>> => {
      const place = await this.#rules.directory(ground);
      return place.ok ? takeSnapshot(ground.store, place.value, true) : place;
    };
    const snapshot = await take();
    if (snapshot.ok || snapshot.failure.tag !== 'git_failed') return snapshot;
    // A crash may have spoiled the index; it is only a cache.
    await rm(this.#paths.directoryIndex, { force: true });
    return take();
  }

  /** Without any call of git, so that the next turn of a task starts at once. Null where there is no such place. */
  async #openAgain(task: TaskId): Promise<Result<OpenWorkspace | null, WorkspaceFailure>> {
    const record = await readTaskRecord(this.#paths.record(task));
    if (!record.ok) return record;
    if (record.value === null || (await ifThere(stat(record.value.directory))) === null) return ok(null);
    const store = await openStore(this.#git, this.#paths, worktreeOf(this.#git, record.value));
    return store.ok ? ok(await this.#workspaceOf(task, record.value, store.value)) : store;
  }

  /** Makes the place of work; the record comes last, so that what a crash left half made is made anew. */
  async #make(ground: Ground, task: TaskId, base: SnapshotId): Promise<Result<TaskRecord, WorkspaceFailure>> {
    this.#known.delete(task);
    await rm(this.#paths.task(task), { recursive: true, force: true });
    await mkdir(this.#paths.task(task), { recursive: true });
    const record =
      ground.project === null
        ? await this.#makeInDirectory(ground, task, base)
        : await this.#makeWorktree(ground, ground.project, task, base);
    if (record.ok) await writeJsonFile(this.#paths.record(task), record.value);
    return record;
  }

  async #makeInDirectory(
    ground: Ground,
    task: TaskId,
    base: SnapshotId,
  ): Promise<Result<TaskRecord, WorkspaceFailure>> {
    const place = await this.#rules.directory(ground);
    if (!place.ok) return place;
    await copyFile(place.value.rulesFile, this.#paths.rules(task));
    // Without any file in the directory, git has made no index.
    await ifThere(copyFile(place.value.indexFile, this.#paths.index(task)));
    return ok({ directory: ground.root, base, worktree: null, always: [] });
  }

  async #makeWorktree(
    ground: Ground,
    project: ProjectRepository,
    task: TaskId,
    base: SnapshotId,
  ): Promise<Result<TaskRecord, WorkspaceFailure>> {
    const directory = this.#paths.worktree(task);
    await removeFolder(directory);
    await mkdir(dirname(directory), { recursive: true });
    const branch = `tribune/${task}`;
    const [head, personal] = await Promise.all([project.head(), this.#rules.personal(ground)]);
    if (!head.ok) return head;
    const added = await project.addWorktree(directory, branch, head.value);
    if (!added.ok) return added;
    const [index, filled] = await Promise.all([
      added.value.run(['read-tree', head.value ?? '--empty']),
      populate(ground.store, { directory, indexFile: this.#paths.index(task) }, base),
    ]);
    if (!index.ok) return index;
    if (!filled.ok) return filled;
    const always = await this.#rules.fixForTask(ground, task, directory, personal);
    if (!always.ok) return always;
    const worktree = { checkout: added.value.checkout, branch, head: head.value };
    return ok({ directory, base, worktree, always: [...always.value] });
  }

  async #workspaceOf(task: TaskId, record: TaskRecord, store: SnapshotStore): Promise<OpenWorkspace> {
    return new TaskWorkspace({
      store,
      place: {
        directory: record.directory,
        indexFile: this.#paths.index(task),
        rulesFile: this.#paths.rules(task),
        always: record.always as BytePath[],
        never: await this.#rules.never(record.directory),
        project: worktreeOf(this.#git, record),
        known: this.#knownOf(task),
      },
      record,
      folder: this.#paths.task(task),
      guarded: (what, work) => this.#guarded(what, work),
      keep: (snapshot) => this.#keep(store, snapshot),
      forget: () => this.#known.delete(task),
    });
  }

  #knownOf(task: TaskId): KnownExceptions {
    const known = this.#known.get(task) ?? new KnownExceptions();
    this.#known.set(task, known);
    return known;
  }

  /** Makes a snapshot independent of the person's repository; once, however often it is asked for, unless it fails. */
  #keep(store: SnapshotStore, snapshot: SnapshotId): Promise<Result<void, WorkspaceFailure>> {
    const known = this.#keeping.get(snapshot);
    if (known !== undefined) return known;
    const what = `copying ${snapshot} out of the repository`;
    const keeping = attempt(what, () => store.keepBorrowed(snapshot)).then((kept) => {
      if (!kept.ok) this.#keeping.delete(snapshot);
      return kept;
    });
    this.#keeping.set(snapshot, keeping);
    return keeping;
  }

  /** One change at a time, and what the file system refuses is a failure like any other. */
  #guarded<T>(
    what: string,
    work: () => Promise<Result<T, WorkspaceFailure>>,
  ): Promise<Result<T, WorkspaceFailure>> {
    return this.#serial.run(() => attempt(what, work));
  }
}
