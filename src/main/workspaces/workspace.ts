import { copyFile, mkdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { err, ok, type Result } from '../../shared/kernel/result.ts';
import type { SnapshotId, TaskId } from '../../shared/vocabulary/ids.ts';
import type {
  Applied,
  Diff,
  DirectoryReport,
  OpenWorkspace,
  ReadableFiles,
  Snapshot,
  Workspace,
  WorkspaceFailure,
} from '../ports/workspace.ts';
import { applySnapshot, undoUnfinishedApply } from './apply/apply-snapshot.ts';
import {
  collectRulesInFiles,
  excludeFolder,
  firstRules,
  readPersonalRules,
  writeRules,
} from './content/ignore-rules.ts';
import { exceptionsIn } from './content/listing.ts';
import { takeSnapshot, type Place } from './content/take-snapshot.ts';
import { diffSnapshots } from './diff/diff-snapshots.ts';
import { SnapshotFiles } from './files/snapshot-files.ts';
import { bytePathOf, type BytePath } from './git/byte-path.ts';
import { failureOfFileSystem } from './git/git-failure.ts';
import { createGit, type Git } from './git/git-process.ts';
import type { ProjectRepository } from './git/project-repository.ts';
import { findGround, openStore, type Ground } from './ground.ts';
import { proposeDependencies, proposeSetup } from './proposals.ts';
import { roomPaths, type RoomPaths } from './room-paths.ts';
import { Serial } from './serial.ts';
import { readTaskRecord, worktreeOf, writeTaskRecord, type TaskRecord } from './task-record.ts';
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

/** A room's workspace on git 2.30 or newer. Nothing is looked at or made before the first call. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  return new GitWorkspace(options);
}

class GitWorkspace implements Workspace {
  readonly #options: WorkspaceOptions;
  readonly #git: Git;
  readonly #paths: RoomPaths;
  readonly #serial = new Serial();
  /** Copies of borrowed objects, by the snapshot that they make whole. */
  readonly #keeping = new Map<SnapshotId, Promise<Result<void, WorkspaceFailure>>>();

  public constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.#git = createGit(options.environment);
    this.#paths = roomPaths(path.resolve(options.dataDirectory));
  }

  public async inspect(): Promise<Result<DirectoryReport, WorkspaceFailure>> {
    const ground = await this.#readyGround();
    if (!ground.ok) return ground;
    const { root, project } = ground.value;
    return ok({
      kind: project === null ? 'plain' : 'repository',
      proposedSetup: await proposeSetup(root),
      proposedDependencies: await proposeDependencies(root, project),
    });
  }

  public snapshotOfDirectory(): Promise<Result<Snapshot, WorkspaceFailure>> {
    return this.#guarded('taking a snapshot of the directory', async () => {
      const ground = await this.#readyGround();
      return ground.ok ? this.#snapshotOf(ground.value) : ground;
    });
  }

  public async open(task: TaskId, base: SnapshotId): Promise<Result<OpenWorkspace, WorkspaceFailure>> {
    const known = await this.#openAgain(task);
    if (known !== null) return known;
    return this.#guarded(`making a place of work for ${task}`, async () => {
      const ground = await this.#readyGround();
      if (!ground.ok) return ground;
      const present = await ground.value.store.require(base);
      if (!present.ok) return present;
      const record = await this.#make(ground.value, task, base);
      return record.ok ? ok(this.#workspaceOf(task, record.value, ground.value, true)) : record;
    });
  }

  public read(snapshot: SnapshotId): ReadableFiles {
    return new SnapshotFiles(() => this.#openStore(), snapshot);
  }

  public async diff(from: SnapshotId, to: SnapshotId): Promise<Result<Diff, WorkspaceFailure>> {
    const store = await this.#openStore();
    return store.ok ? diffSnapshots(store.value, from, to) : store;
  }

  public apply(base: SnapshotId, approved: SnapshotId): Promise<Result<Applied, WorkspaceFailure>> {
    return this.#guarded('applying the approved snapshot', async () => {
      const ground = await this.#readyGround();
      if (!ground.ok) return ground;
      const { store, root } = ground.value;
      const now = await this.#snapshotOf(ground.value);
      if (!now.ok) return now;
      return applySnapshot({ store, root, paths: this.#paths }, { base, approved, now: now.value.id });
    });
  }

  public async close(): Promise<void> {
    await this.#serial.idle();
    await Promise.all(this.#keeping.values());
  }

  /** The ground, with nothing unfinished on it: neither an operation of the person's nor an apply of ours. */
  async #readyGround(): Promise<Result<Ground, WorkspaceFailure>> {
    const ground = await findGround(this.#git, path.resolve(this.#options.directory), this.#paths);
    if (!ground.ok) return ground;
    const operation = (await ground.value.project?.unfinishedOperation()) ?? null;
    if (operation !== null) {
      return err({
        tag: 'unfinished_merge',
        message: `A ${operation} is unfinished in ${ground.value.root}.`,
        next: `Finish it or end it (git ${operation} --abort), then try again.`,
      });
    }
    const undone = await undoUnfinishedApply({
      store: ground.value.store,
      root: ground.value.root,
      paths: this.#paths,
    });
    return undone.ok ? ground : undone;
  }

  async #openStore(): ReturnType<typeof openStore> {
    const ground = await findGround(this.#git, path.resolve(this.#options.directory), this.#paths);
    // Snapshots stay readable when the person's directory is gone.
    return ground.ok ? ok(ground.value.store) : openStore(this.#git, this.#paths, null);
  }

  async #snapshotOf(ground: Ground): Promise<Result<Snapshot, WorkspaceFailure>> {
    const place = await this.#directoryPlace(ground);
    if (!place.ok) return place;
    const snapshot = await takeSnapshot(ground.store, place.value, true);
    if (snapshot.ok) void this.#keep(ground.store, snapshot.value.id);
    return snapshot;
  }

  /** The person's directory, with its rules as they are now. */
  async #directoryPlace(ground: Ground): Promise<Result<Place, WorkspaceFailure>> {
    const { root, project, store } = ground;
    const never = this.#never(root);
    const personal = await this.#writePersonalRules(ground);
    await mkdir(path.dirname(this.#paths.directoryIndex), { recursive: true });
    const workTree = { directory: root, indexFile: this.#paths.directoryIndex };
    const inFiles = await collectRulesInFiles(store, workTree, this.#paths.personalRules);
    if (!inFiles.ok) return inFiles;
    await writeRules(this.#paths.cacheRules, inFiles.value.ofCaches);
    await writeRules(this.#paths.directoryRules, [
      ...personal,
      ...inFiles.value.ofContent,
      ...inFiles.value.ofCaches,
      ...never.map(excludeFolder),
    ]);
    return ok({
      ...workTree,
      rulesFile: this.#paths.directoryRules,
      secretsFile: this.#paths.secrets,
      always: [],
      never,
      project,
    });
  }

  async #writePersonalRules(ground: Ground): Promise<readonly string[]> {
    const common = ground.project?.checkout.commonDirectory ?? null;
    const rules = await readPersonalRules(this.#git, ground.root, common, this.#options.environment);
    const lines = [...firstRules, ...rules, ...this.#never(ground.root).map(excludeFolder)];
    await writeRules(this.#paths.personalRules, lines);
    return lines;
  }

  /** Folders that are never content: the room's dependencies, and our own data where it lies in the directory. */
  #never(root: string): BytePath[] {
    const own = path.relative(root, this.#paths.root).split(path.sep).join('/');
    const folders = (this.#options.dependencies ?? []).map((folder) =>
      path.posix.normalize(folder).replace(/^\/|\/$/g, ''),
    );
    if (own !== '' && !own.startsWith('..') && !path.isAbsolute(own)) folders.push(own);
    return folders.map(bytePathOf);
  }

  async #openAgain(task: TaskId): Promise<Result<OpenWorkspace, WorkspaceFailure> | null> {
    const record = await readTaskRecord(this.#paths.record(task));
    if (record === null || (await stat(record.directory).catch(() => null)) === null) return null;
    const project = worktreeOf(this.#git, record);
    const store = await openStore(this.#git, this.#paths, project);
    if (!store.ok) return store;
    return ok(
      this.#workspaceOf(task, record, { root: record.directory, project, store: store.value }, false),
    );
  }

  async #make(ground: Ground, task: TaskId, base: SnapshotId): Promise<Result<TaskRecord, WorkspaceFailure>> {
    await rm(this.#paths.task(task), { recursive: true, force: true });
    await mkdir(this.#paths.task(task), { recursive: true });
    if (ground.project === null) {
      const place = await this.#directoryPlace(ground);
      if (!place.ok) return place;
      await copyFile(this.#paths.directoryRules, this.#paths.rules(task));
      await copyFile(this.#paths.directoryIndex, this.#paths.index(task)).catch(() => undefined);
      const record = { directory: ground.root, base, worktree: null, always: [] };
      await writeTaskRecord(this.#paths.record(task), record);
      return ok(record);
    }
    const directory = this.#paths.worktree(task);
    await rm(directory, { recursive: true, force: true });
    await mkdir(path.dirname(directory), { recursive: true });
    const branch = `tribune/${task}`;
    const [head, personal] = await Promise.all([ground.project.head(), this.#writePersonalRules(ground)]);
    if (!head.ok) return head;
    const added = await ground.project.addWorktree(directory, branch, head.value);
    if (!added.ok) return added;
    const [pointed, content] = await Promise.all([
      added.value.run(head.value === null ? ['read-tree', '--empty'] : ['read-tree', head.value]),
      this.#fill(ground.store, task, directory, base, personal),
    ]);
    if (!pointed.ok) return pointed;
    if (!content.ok) return content;
    const record: TaskRecord = {
      directory,
      base,
      worktree: { checkout: added.value.checkout, branch, head: head.value },
      always: [...content.value],
    };
    await writeTaskRecord(this.#paths.record(task), record);
    return ok(record);
  }

  /** Puts the base into a new worktree and fixes the rules; gives the paths that they do not hold for. */
  async #fill(
    store: Ground['store'],
    task: TaskId,
    directory: string,
    base: SnapshotId,
    personal: readonly string[],
  ): Promise<Result<readonly BytePath[], WorkspaceFailure>> {
    const workTree = { directory, indexFile: this.#paths.index(task) };
    const populated = await populate(store, workTree, base);
    if (!populated.ok) return populated;
    const inFiles = await collectRulesInFiles(store, workTree, this.#paths.personalRules);
    if (!inFiles.ok) return inFiles;
    const ofCaches = await readFile(this.#paths.cacheRules, 'latin1').catch(() => '');
    const rules = [
      ...personal,
      ...inFiles.value.ofContent,
      ...ofCaches.split('\n'),
      ...this.#never(directory).map(excludeFolder),
    ];
    await writeRules(this.#paths.rules(task), rules);
    return exceptionsIn(store, workTree, this.#paths.rules(task), this.#paths.secrets);
  }

  #workspaceOf(task: TaskId, record: TaskRecord, ground: Ground, fresh: boolean): OpenWorkspace {
    const project: ProjectRepository | null = worktreeOf(this.#git, record);
    const place: Place = {
      directory: record.directory,
      indexFile: this.#paths.index(task),
      rulesFile: this.#paths.rules(task),
      secretsFile: this.#paths.secrets,
      always: record.always as BytePath[],
      never: this.#never(record.directory),
      project,
    };
    return new TaskWorkspace({
      store: ground.store,
      place,
      record,
      fresh,
      folder: this.#paths.task(task),
      guarded: (what, work) => this.#guarded(what, work),
      keep: (snapshot) => this.#keep(ground.store, snapshot),
    });
  }

  /** Makes a snapshot independent of the person's repository; once, however often it is asked for. */
  #keep(store: Ground['store'], snapshot: SnapshotId): Promise<Result<void, WorkspaceFailure>> {
    const known = this.#keeping.get(snapshot);
    if (known !== undefined) return known;
    const keeping = store.keepBorrowed(snapshot);
    this.#keeping.set(snapshot, keeping);
    return keeping;
  }

  /** One change at a time, and what the file system refuses is a failure like any other. */
  #guarded<T>(
    what: string,
    work: () => Promise<Result<T, WorkspaceFailure>>,
  ): Promise<Result<T, WorkspaceFailure>> {
    return this.#serial.run(async () => {
      try {
        return await work();
      } catch (cause) {
        if (cause instanceof Error && 'code' in cause) return err(failureOfFileSystem(what, cause));
        throw cause;
      }
    });
  }
}
