import type { Failure, Result } from '../../shared/kernel/result.ts';
import type { SnapshotId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { FileChange } from '../../shared/vocabulary/words.ts';

/** A snapshot as files. */
export interface LaidOut {
  /** The directory that holds the laid-out snapshots of the room. */
  readonly directory: string;
  /** The snapshot's own folder in it. */
  readonly folder: string;
  /** Tracked files that were left out because they look like secrets. */
  readonly leftOut: readonly string[];
  /** Links that were left out because they lead out of the work. */
  readonly linksLeftOut: readonly string[];
  /** It had been laid out before and something has changed it since, so it was made anew. */
  readonly renewed: boolean;
}

/** One room's work directory: where its tasks start from, where owners work, and the snapshots of both. */
export interface Workspace {
  /** What the directory is, and the state it is in. */
  inspect(): Promise<Result<DirectoryReport, WorkspaceFailure>>;
  /** The person's directory as it stands, uncommitted files included. */
  snapshotOfDirectory(): Promise<Result<Snapshot, WorkspaceFailure>>;
  /**
   * Where the owner of this task works: a worktree on a branch of the task, holding `base`; or the directory
   * itself where it is no repository. Opening again gives the same place with what is in it.
   */
  open(task: TaskId, base: SnapshotId): Promise<Result<OpenWorkspace, WorkspaceFailure>>;
  /** Every file of a snapshot, readable without a checkout. */
  read(snapshot: SnapshotId): ReadableFiles;
  /**
   * Lays a snapshot out as files in a folder of ours, for programs that need a directory; laying it out again gives
   * the same folder, and what it holds is the snapshot's content each time. Files that look like secrets are left out,
   * and no link in it leads out of it.
   */
  layOut(snapshot: SnapshotId): Promise<Result<LaidOut, WorkspaceFailure>>;
  /**
   * Removes what was laid out, but for the snapshots that are needed; asked for when nothing else is being laid out, so
   * that none that is needed by then is missed.
   */
  forgetLaidOut(needed: () => readonly SnapshotId[]): Promise<Result<void, WorkspaceFailure>>;
  diff(from: SnapshotId, to: SnapshotId): Promise<Result<Diff, WorkspaceFailure>>;
  /**
   * Brings what changed from `base` to `approved` into the person's directory, on top of what they changed
   * since. Refuses whole, touching nothing, where that conflicts. Applying what is already there is no error.
   */
  apply(base: SnapshotId, approved: SnapshotId): Promise<Result<Applied, WorkspaceFailure>>;
  /** Waits for what still runs in the background. */
  close(): Promise<void>;
}

/** An owner's place of work. */
export interface OpenWorkspace {
  readonly directory: string;
  readonly files: WritableFiles;
  snapshot(): Promise<Result<Snapshot, WorkspaceFailure>>;
  /** Reads and hashes every file anew, trusting no cache, and says whether the content is that of `approved`. */
  compare(approved: SnapshotId): Promise<Result<Comparison, WorkspaceFailure>>;
  /** Puts the content back to `base`; what `dependencies` and ignore rules leave out stays. */
  reset(base: SnapshotId): Promise<Result<void, WorkspaceFailure>>;
  /** Those of the room's dependency folders that are there, for whoever works elsewhere and may look at them. */
  dependencyFolders(paths: readonly string[]): Promise<Result<readonly DependencyFolder[], WorkspaceFailure>>;
  /** Removes the worktree; the task's snapshots stay. */
  remove(): Promise<Result<void, WorkspaceFailure>>;
}

/** A dependency folder: where it is in the work, and on the host. */
export interface DependencyFolder {
  readonly path: string;
  readonly source: string;
}

export interface DirectoryReport {
  readonly kind: 'repository' | 'plain';
  /** A command that installs what the project needs, told from its lock files; null where there are none. */
  readonly proposedSetup: string | null;
  /** Ignored folders that the project needs to run, such as `node_modules`. */
  readonly proposedDependencies: readonly string[];
}

export interface Snapshot {
  readonly id: SnapshotId;
  /** Untracked files that were left out: they look like secrets, or git can't hold their name (`.GIT/…`). */
  readonly leftOut: readonly string[];
}

export interface Comparison {
  readonly equal: boolean;
  /** What is there now. */
  readonly snapshot: Snapshot;
}

export interface Applied {
  /** Paths that were written or deleted in the person's directory. */
  readonly paths: readonly string[];
}

export interface Diff {
  readonly files: readonly FileDiff[];
  readonly additions: number;
  readonly deletions: number;
}

export interface FileDiff {
  readonly path: string;
  /** Where the file was before, if it was renamed. */
  readonly previousPath: string | null;
  readonly change: FileChange;
  readonly binary: boolean;
  readonly additions: number;
  readonly deletions: number;
  readonly hunks: readonly Hunk[];
  /** The hunks were cut to the size limit; the counts are whole. */
  readonly truncated: boolean;
}

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each begins with ' ', '+', '-' or '\'. */
  readonly lines: readonly string[];
}

/**
 * Files below one root. Paths are relative to it, with '/' between names; a path that leaves the root (through a
 * symlink too) or that is shaped like a secret is refused.
 */
export interface ReadableFiles {
  list(path: string): Promise<Result<readonly Entry[], FilesFailure>>;
  /** Lines `from` to `to`, counted from 1; both ends included. */
  read(
    path: string,
    range?: { readonly from: number; readonly to: number },
  ): Promise<Result<FileText, FilesFailure>>;
  /** Lines that match a regular expression, below `path`. */
  search(pattern: string, path: string): Promise<Result<SearchResult, FilesFailure>>;
}

export interface WritableFiles extends ReadableFiles {
  write(path: string, text: string): Promise<Result<void, FilesFailure>>;
  /** Replaces `before`, which must occur exactly once, by `after`. */
  edit(path: string, before: string, after: string): Promise<Result<void, FilesFailure>>;
}

export interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink';
}

export interface FileText {
  readonly text: string;
  readonly totalLines: number;
  /** The text was cut to the size limit. */
  readonly truncated: boolean;
}

export interface SearchResult {
  readonly matches: readonly { readonly path: string; readonly line: number; readonly text: string }[];
  readonly truncated: boolean;
}

export interface FilesFailure extends Failure {
  readonly tag:
    | 'outside'
    | 'secret'
    | 'missing'
    | 'not_text'
    | 'not_a_directory'
    | 'no_match'
    | 'several_matches'
    | 'bad_pattern'
    | 'read_only'
    | 'io';
}

export interface WorkspaceFailure extends Failure {
  readonly tag:
    | 'missing'
    | 'not_a_directory'
    | 'bare_repository'
    | 'unfinished_merge'
    | 'read_only'
    | 'unreadable'
    | 'disk_full'
    | 'conflict'
    | 'unknown_snapshot'
    | 'git_missing'
    | 'git_failed';
  /** The paths that conflict, or that can't be read. */
  readonly paths?: readonly string[];
}
