import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type {
  Entry,
  FilesFailure,
  FileText,
  ReadableFiles,
  SearchResult,
  WorkspaceFailure,
} from '../../ports/workspace.ts';
import { bytePathsIn, textOfPath } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import type { SnapshotStore } from '../git/snapshot-store.ts';
import { checkedFilePath, checkedPath, missingFile, notADirectory } from './file-path.ts';
import { MAX_FILE_BYTES, textOf, tooLargeFile } from './file-text.ts';
import { searchWithGit } from './search.ts';

interface StoredEntry extends Entry {
  readonly object: string;
  readonly bytes: number;
}

/** The files of a snapshot, straight from git's objects: nothing is checked out, and no link is ever followed. */
export class SnapshotFiles implements ReadableFiles {
  readonly #openStore: () => Promise<Result<SnapshotStore, WorkspaceFailure>>;
  readonly #snapshot: SnapshotId;

  public constructor(
    openStore: () => Promise<Result<SnapshotStore, WorkspaceFailure>>,
    snapshot: SnapshotId,
  ) {
    this.#openStore = openStore;
    this.#snapshot = snapshot;
  }

  public async list(path: string): Promise<Result<readonly Entry[], FilesFailure>> {
    const checked = checkedPath(path);
    if (!checked.ok) return checked;
    const opened = await this.#open();
    if (!opened.ok) return opened;
    const folder = checked.value;
    if (folder !== '') {
      const found = await this.#find(opened.value, folder);
      if (!found.ok) return found;
      if (found.value.kind !== 'directory') return err(notADirectory(path));
    }
    const entries = await entriesOf(opened.value, folder === '' ? [] : [`${folder}/`]);
    return entries.ok ? ok(entries.value.map(({ path: at, kind }) => ({ path: at, kind }))) : entries;
  }

  public async read(
    path: string,
    range?: { readonly from: number; readonly to: number },
  ): Promise<Result<FileText, FilesFailure>> {
    const checked = checkedFilePath(path);
    if (!checked.ok) return checked;
    const opened = await this.#open();
    if (!opened.ok) return opened;
    const found = await this.#find(opened.value, checked.value);
    if (!found.ok) return found;
    const entry = found.value;
    if (entry.kind === 'directory') {
      return err({ tag: 'not_text', message: `"${path}" is a folder.`, next: 'List it.' });
    }
    if (entry.bytes > MAX_FILE_BYTES) return err(tooLargeFile(path, entry.bytes));
    const bytes = await opened.value.store.blob(entry.object);
    if (!bytes.ok) return err(ioFailure(bytes.failure));
    return entry.kind === 'symlink' ? err(linkFile(path, bytes.value)) : textOf(path, bytes.value, range);
  }

  public async search(pattern: string, path: string): Promise<Result<SearchResult, FilesFailure>> {
    const checked = checkedPath(path);
    if (!checked.ok) return checked;
    const opened = await this.#open();
    if (!opened.ok) return opened;
    const { store, commit } = opened.value;
    return searchWithGit(store, { commit, call: { borrowing: true }, options: [] }, pattern, checked.value);
  }

  async #open(): Promise<Result<Opened, FilesFailure>> {
    const store = await this.#openStore();
    if (!store.ok) return err(ioFailure(store.failure));
    const commit = await store.value.require(this.#snapshot);
    return commit.ok ? ok({ store: store.value, commit: commit.value }) : err(ioFailure(commit.failure));
  }

  async #find(opened: Opened, path: string): Promise<Result<StoredEntry, FilesFailure>> {
    if (path === '') return err(missingFile(path));
    const entries = await entriesOf(opened, [path]);
    if (!entries.ok) return entries;
    const entry = entries.value[0];
    return entry === undefined ? err(missingFile(path)) : ok(entry);
  }
}

interface Opened {
  readonly store: SnapshotStore;
  readonly commit: string;
}

async function entriesOf(
  opened: Opened,
  paths: readonly string[],
): Promise<Result<StoredEntry[], FilesFailure>> {
  const listing = await opened.store.run(
    ['ls-tree', '-z', '-l', '--full-tree', opened.commit, ...(paths.length === 0 ? [] : ['--', ...paths])],
    { borrowing: true, environment: { GIT_LITERAL_PATHSPECS: '1' } },
  );
  return listing.ok ? ok(bytePathsIn(listing.value.output).map(entryIn)) : err(ioFailure(listing.failure));
}

function entryIn(line: string): StoredEntry {
  const tab = line.indexOf('\t');
  const [mode, type, object = '', bytes] = line.slice(0, tab).split(/ +/);
  return {
    path: textOfPath(line.slice(tab + 1) as BytePath),
    kind: type === 'tree' ? 'directory' : mode === '120000' ? 'symlink' : 'file',
    object,
    bytes: Number(bytes) || 0,
  };
}

function linkFile(path: string, target: Buffer): FilesFailure {
  return {
    tag: 'not_text',
    message: `"${path}" is a symbolic link to "${target.toString('utf8')}"; links are not followed in a snapshot.`,
    next: 'Read the file that it points to, if it is in the snapshot.',
  };
}

function ioFailure(failure: WorkspaceFailure): FilesFailure {
  return failure.next === undefined
    ? { tag: 'io', message: failure.message }
    : { tag: 'io', message: failure.message, next: failure.next };
}
