import { appendFile, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { ifThere } from '../../../shared/kernel/system-error.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import { bytePathsIn } from './byte-path.ts';
import type { BytePath } from './byte-path.ts';
import type { Git, GitAnswer, GitCall } from './git-process.ts';
import { withoutLineEnd } from './project-repository.ts';
import { writeSnapshotCommit } from './snapshot-commit.ts';

/** A directory whose files git is to see, through an index file of its own. */
export interface WorkTree {
  readonly directory: string;
  readonly indexFile: string;
}

export interface StoreCall extends Pick<
  GitCall,
  'input' | 'outputTo' | 'exits' | 'maxBytes' | 'timeoutMs' | 'environment'
> {
  readonly workTree?: WorkTree;
  /** Also find objects in the person's repository. */
  readonly borrowing?: boolean;
}

export interface TreeEntry {
  /** As git writes it: 100644, 100755 or 120000. */
  readonly mode: string;
  readonly object: string;
}

/**
 * Files from which on git writes them with a process per core. Below, starting those takes longer than they save (80 ms
 * became 105 for 5,000 files on two cores), and some file systems make files slower for several at once.
 */
const PARALLEL_FROM_FILES = 10_000;

/** Bytes and names are taken as they are: no conversion, no hook, no monitor, and no rule but those given per call. */
const configuration = `[core]
	bare = false
	autocrlf = false
	safecrlf = false
	fsmonitor = false
	untrackedCache = false
	hooksPath = ${devNull}
	attributesFile = ${devNull}
	excludesFile = ${devNull}
	fileMode = true
	symlinks = true
	ignoreCase = false
	precomposeUnicode = false
	protectNTFS = false
	protectHFS = false
	preloadIndex = true
[index]
	version = 4
	skipHash = true
[checkout]
	workers = 0
	thresholdForParallelism = ${PARALLEL_FROM_FILES}
[gc]
	auto = 0
[maintenance]
	auto = false
[diff]
	renames = true
[grep]
	fallbackToNoIndex = false
`;

/** Wins over every .gitattributes file in the content: what it says of conversions, and what it hides from diffs, is void. */
const attributes = '* -text -crlf -eol -filter -ident -working-tree-encoding !diff !merge !whitespace\n';

/**
 * Where a room's snapshots are kept: a git directory of ours. A snapshot of the person's directory may borrow the
 * objects of their repository, which saves writing them all while someone waits; `keepBorrowed` then copies them,
 * so that nothing the person or an agent does to that repository can take a snapshot away.
 */
export class SnapshotStore {
  readonly #git: Git;
  readonly #lenders: string | null;
  readonly #known = new Set<SnapshotId>();
  public readonly directory: string;

  private constructor(git: Git, directory: string, lenderDirectory: string | null) {
    this.#git = git;
    this.directory = directory;
    this.#lenders = lenderDirectory === null ? null : quotedForAlternates(lenderDirectory);
  }

  /** Opens the store in `directory`, making it first where it is not there; `lenderDirectory` is the person's objects folder. */
  public static async open(
    git: Git,
    directory: string,
    objectFormat: string,
    lenderDirectory: string | null,
  ): Promise<Result<SnapshotStore, WorkspaceFailure>> {
    const store = new SnapshotStore(git, directory, lenderDirectory);
    // Written last, so its presence says that the store was made whole.
    const made = join(directory, 'info', 'attributes');
    if ((await ifThere(stat(made))) !== null) return ok(store);
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    const init = await git({
      args: ['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat}`, directory],
      directory,
    });
    if (!init.ok) return init;
    await appendFile(join(directory, 'config'), configuration);
    await mkdir(join(directory, 'info'), { recursive: true });
    await writeFile(made, attributes);
    return ok(store);
  }

  public run(args: readonly string[], call: StoreCall = {}): Promise<Result<GitAnswer, WorkspaceFailure>> {
    const { workTree, borrowing = false, environment, ...rest } = call;
    return this.#git({
      ...rest,
      args,
      directory: workTree?.directory ?? this.directory,
      environment: {
        GIT_DIR: this.directory,
        ...(workTree === undefined
          ? {}
          : { GIT_WORK_TREE: workTree.directory, GIT_INDEX_FILE: workTree.indexFile }),
        ...(borrowing && this.#lenders !== null ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: this.#lenders } : {}),
        ...environment,
      },
    });
  }

  /** Makes what an index holds a snapshot. Equal content gives the equal id, for nothing else goes into it. */
  public async commit(workTree: WorkTree, borrowing: boolean): Promise<Result<SnapshotId, WorkspaceFailure>> {
    const tree = await this.run(['write-tree'], { workTree, borrowing });
    if (!tree.ok) return tree;
    const object = await writeSnapshotCommit(this.directory, withoutLineEnd(tree.value.output));
    await this.#setRef(`refs/snapshots/${object}`, object);
    const snapshot: SnapshotId = `snap_${object}`;
    this.#known.add(snapshot);
    return ok(snapshot);
  }

  /** The commit of a snapshot that is here. */
  public async require(snapshot: SnapshotId): Promise<Result<string, WorkspaceFailure>> {
    const object = snapshot.slice('snap_'.length);
    if (this.#known.has(snapshot)) return ok(object);
    const answer = /^[0-9a-f]{40,64}$/.test(object)
      ? await this.run(['rev-parse', '--verify', '--quiet', `refs/snapshots/${object}`], { exits: [0, 1] })
      : null;
    if (answer !== null && !answer.ok) return answer;
    if (answer?.value.exit !== 0) {
      return err({
        tag: 'unknown_snapshot',
        message: `There is no snapshot ${snapshot} in this room.`,
        next: 'List the task to see its snapshots.',
      });
    }
    this.#known.add(snapshot);
    return ok(object);
  }

  /** Copies what a snapshot borrows into the store, checking every object's name against its bytes. */
  public async keepBorrowed(snapshot: SnapshotId): Promise<Result<void, WorkspaceFailure>> {
    const object = await this.require(snapshot);
    if (!object.ok || this.#lenders === null) return object.ok ? ok(undefined) : object;
    const kept = await this.run(['for-each-ref', '--format=%(objectname)', 'refs/kept']);
    if (!kept.ok) return kept;
    const earlier = kept.value.output
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    if (earlier.includes(object.value)) return ok(undefined);
    const wanted = [object.value, ...earlier.map((one) => `^${one}`)].join('\n');
    const pack = new PassThrough();
    const [packed, indexed] = await Promise.all([
      // Deltas that are there are used; looking for more takes most of the time, while an owner works.
      this.run(['pack-objects', '--revs', '--stdout', '--quiet', '--delta-base-offset', '--window=0'], {
        input: `${wanted}\n`,
        outputTo: pack,
        borrowing: true,
      }),
      this.run(['index-pack', '--stdin'], { input: pack }),
    ]);
    if (!packed.ok) return packed;
    if (!indexed.ok) return indexed;
    await this.#setRef(`refs/kept/${object.value}`, object.value);
    return ok(undefined);
  }

  /**
   * Names an object, so that it is known to be whole and is never thrown away. A ref is a file with the object's id
   * (gitrepository-layout); starting git for it would take ten times as long.
   */
  async #setRef(name: string, object: string): Promise<void> {
    const file = join(this.directory, name);
    // Beside the refs, where git would take a half-written one for a ref.
    const unnamed = join(this.directory, name.replaceAll('/', '-'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(unnamed, `${object}\n`);
    await rename(unnamed, file);
  }

  /** Every file of a snapshot. */
  public async entries(
    snapshot: SnapshotId,
  ): Promise<Result<ReadonlyMap<BytePath, TreeEntry>, WorkspaceFailure>> {
    const object = await this.require(snapshot);
    if (!object.ok) return object;
    const listing = await this.run(['ls-tree', '-r', '-z', '--full-tree', object.value], { borrowing: true });
    if (!listing.ok) return listing;
    const entries = new Map<BytePath, TreeEntry>();
    for (const line of bytePathsIn(listing.value.output)) {
      const tab = line.indexOf('\t');
      const [mode = '', , entryObject = ''] = line.slice(0, tab).split(' ');
      entries.set(line.slice(tab + 1) as BytePath, { mode, object: entryObject });
    }
    return ok(entries);
  }

  /** The bytes of a file, or where a link points. */
  public async blob(object: string): Promise<Result<Buffer, WorkspaceFailure>> {
    const answer = await this.run(['cat-file', 'blob', object], { borrowing: true });
    return answer.ok ? ok(answer.value.output) : answer;
  }

  /** The same for several at once, in their order. All of them are held in memory. */
  public async blobs(objects: readonly string[]): Promise<Result<Buffer[], WorkspaceFailure>> {
    const answer = await this.run(['cat-file', '--batch'], {
      input: objects.map((one) => `${one}\n`).join(''),
      borrowing: true,
    });
    if (!answer.ok) return answer;
    const { output } = answer.value;
    const blobs: Buffer[] = [];
    let at = 0;
    for (const object of objects) {
      const lineEnd = output.indexOf('\n', at);
      const [, type, bytes] = output.toString('latin1', at, lineEnd).split(' ');
      if (type !== 'blob') return err(lostObject(object));
      at = lineEnd + 1 + Number(bytes);
      blobs.push(output.subarray(lineEnd + 1, at));
      at += 1;
    }
    return ok(blobs);
  }
}

function lostObject(object: string): WorkspaceFailure {
  return {
    tag: 'git_failed',
    message: `The object ${object} of a snapshot is not there any more.`,
    next: 'Run "git fsck" in the repository and restore what it misses, then try again.',
  };
}

/** The form in which git takes a path that has a separator in it (since 2.11.1). */
function quotedForAlternates(directory: string): string {
  return `"${directory.replace(/[\\"]/g, '\\$&')}"`;
}
