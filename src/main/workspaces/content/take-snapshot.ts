import { rm } from 'node:fs/promises';
import { isSecretShaped } from '../../../shared/kernel/secret-shapes.ts';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { Snapshot, WorkspaceFailure } from '../../ports/workspace.ts';
import { bytePathsIn, listOfPaths, textOfPath } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import { failureOfGit } from '../git/git-failure.ts';
import type { ProjectRepository } from '../git/project-repository.ts';
import type { SnapshotStore, WorkTree } from '../git/snapshot-store.ts';
import type { KnownExceptions } from './exceptions.ts';
import { factsOnDisk } from './facts-on-disk.ts';
import { listOtherFiles } from './listing.ts';

/** A directory that snapshots are taken of, and what counts as its content. */
export interface Place extends WorkTree {
  /** The ignore rules as they were fixed. */
  readonly rulesFile: string;
  /** Ignored or secret-shaped paths that are content all the same, because the task's base had them. */
  readonly always: readonly BytePath[];
  /** Folders that are never content: dependencies, and our own data. */
  readonly never: readonly BytePath[];
  /** Whose index says what else is tracked; null outside a repository. */
  readonly project: ProjectRepository | null;
  readonly known: KnownExceptions;
}

/**
 * Takes a snapshot of a place: what is tracked there or was in the base, and every other file that the fixed rules
 * do not ignore and that is not shaped like a secret. The index of the place says which files can have changed
 * since the last snapshot. What an agent writes into the project's index can add to the content, never hide from it.
 */
export async function takeSnapshot(
  store: SnapshotStore,
  place: Place,
  borrowing: boolean,
): Promise<Result<Snapshot, WorkspaceFailure>> {
  // Left by a git that was killed; only one call at a time uses this index.
  await rm(`${place.indexFile}.lock`, { force: true });
  const found = await findChanges(store, place);
  if (!found.ok) return found;
  const { removed, written, leftOut, exceptions } = found.value;
  place.known.setIndexed(null);
  const updated = await updateIndex(store, place, removed, written, borrowing);
  if (!updated.ok) return updated;
  place.known.setIndexed(exceptions);
  const id = await store.commit(place, borrowing);
  return id.ok ? ok({ id: id.value, leftOut: leftOut.map(textOfPath).sort() }) : id;
}

interface Changes {
  readonly removed: readonly BytePath[];
  readonly written: readonly BytePath[];
  readonly leftOut: readonly BytePath[];
  /** The exceptions that the index then holds. */
  readonly exceptions: ReadonlySet<BytePath>;
}

async function findChanges(store: SnapshotStore, place: Place): Promise<Result<Changes, WorkspaceFailure>> {
  const { rulesFile, never, known } = place;
  const [others, changed, tracked, indexed] = await Promise.all([
    listOtherFiles(store, place, [`--exclude-from=${rulesFile}`]),
    store.run(['diff-files', '-z', '--name-status', '--no-renames', '--no-ext-diff'], { workTree: place }),
    known.tracked(place.project, rulesFile),
    known.indexed((args) => store.run(args, { workTree: place }), rulesFile),
  ]);
  if (!others.ok) return others;
  if (!changed.ok) return changed;
  if (!tracked.ok) return tracked;
  if (!indexed.ok) return indexed;

  const removed = new Set<BytePath>(others.value.placeholders);
  const written = new Set<BytePath>();
  const leftOut: BytePath[] = [];
  const statuses = bytePathsIn(changed.value.output);
  for (let at = 0; at + 1 < statuses.length; at += 2) {
    const path = statuses[at + 1] as BytePath;
    if (statuses[at] === 'D') removed.add(path);
    else written.add(path);
  }

  const allowed = new Set([...place.always, ...tracked.value].filter((path) => !isBelow(never, path)));
  const exceptions = new Set<BytePath>();
  for (const path of indexed.value) {
    if (allowed.has(path)) continue;
    written.delete(path);
    if (!removed.has(path) && !isBelow(never, path) && isSecretShaped(path)) leftOut.push(path);
    removed.add(path);
  }
  for (const path of allowed) {
    if (removed.has(path) || !(indexed.value.has(path) || (await isFileOrLink(place, path)))) continue;
    exceptions.add(path);
    if (!indexed.value.has(path)) written.add(path);
  }
  for (const path of others.value.paths) {
    if (hasGitName(path)) leftOut.push(path);
    else if (isBelow(never, path) || allowed.has(path)) continue;
    else if (isSecretShaped(path)) leftOut.push(path);
    else written.add(path);
  }
  return ok({ removed: [...removed], written: [...written], leftOut, exceptions });
}

async function updateIndex(
  store: SnapshotStore,
  place: Place,
  removed: readonly BytePath[],
  written: readonly BytePath[],
  borrowing: boolean,
): Promise<Result<void, WorkspaceFailure>> {
  const remove = async (paths: readonly BytePath[]): Promise<Result<unknown, WorkspaceFailure>> =>
    paths.length === 0
      ? ok(undefined)
      : store.run(['update-index', '-z', '--force-remove', '--stdin'], {
          workTree: place,
          input: listOfPaths(paths),
        });
  const write = (paths: readonly BytePath[]): ReturnType<SnapshotStore['run']> =>
    store.run(['update-index', '-z', '--add', '--replace', '--remove', '--stdin'], {
      workTree: place,
      input: listOfPaths(paths),
      borrowing,
      exits: [0, 128],
    });

  const gone = await remove(removed);
  if (!gone.ok) return gone;
  if (written.length === 0) return ok(undefined);
  const first = await write(written);
  if (!first.ok || first.value.exit === 0) return first.ok ? ok(undefined) : first;

  // A tracked file has become something that is no content (a pipe, a device), or a folder did so meanwhile.
  const content: BytePath[] = [];
  const other: BytePath[] = [];
  for (const path of written) ((await isFileOrLink(place, path)) ? content : other).push(path);
  if (other.length === 0) return err(failureOfGit(['update-index'], 128, first.value.errors));
  const dropped = await remove(other);
  if (!dropped.ok) return dropped;
  const second = await write(content);
  if (!second.ok) return second;
  return second.value.exit === 0
    ? ok(undefined)
    : err(failureOfGit(['update-index'], 128, second.value.errors));
}

async function isFileOrLink(place: Place, path: BytePath): Promise<boolean> {
  const found = await factsOnDisk(place.directory, path);
  return found !== null && (found.isFile() || found.isSymbolicLink());
}

function isBelow(folders: readonly BytePath[], path: BytePath): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}

/** Git can't hold `.git` in any case of its letters, and does not list the exact name. */
function hasGitName(path: BytePath): boolean {
  return /(^|\/)\.git(\/|$)/i.test(path);
}
