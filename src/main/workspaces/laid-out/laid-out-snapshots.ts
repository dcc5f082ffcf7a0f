import { chmod, mkdir, mkdtemp, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { ifThere } from '../../../shared/kernel/system-error.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { LaidOut, WorkspaceFailure } from '../../ports/workspace.ts';
import type { SnapshotStore } from '../git/snapshot-store.ts';
import { writeJsonFile } from '../json-file.ts';
import { removeFolder } from '../remove-folder.ts';
import type { RoomPaths } from '../room-paths.ts';
import { haveMarks } from './folder-marks.ts';
import { lay } from './lay.ts';
import { recordIn } from './spot.ts';
import type { LayingRecord, Spot } from './spot.ts';

/** The folder that is mounted: whoever reads in it may be another user. */
const MOUNTED_MODE = 0o755;

/**
 * The snapshots of a room that are laid out as files. The caller sees to it that one call runs at a time, but for
 * `sweep`.
 */
export class LaidOutSnapshots {
  readonly #paths: RoomPaths;

  public constructor(paths: RoomPaths) {
    this.#paths = paths;
  }

  /**
   * Lays a snapshot out, or finds it as it was left. One that anything has changed since is made anew: what is read
   * in it has to be the snapshot.
   */
  public async layOut(
    store: SnapshotStore,
    snapshot: SnapshotId,
  ): Promise<Result<LaidOut, WorkspaceFailure>> {
    const object = await store.require(snapshot);
    if (!object.ok) return object;
    const spot = this.#spotOf(object.value);
    const known = await recordIn(spot);
    if (known !== null && (await isUntouched(store, spot, known))) {
      return ok(this.#laidOut(spot, known, false));
    }
    await discard(spot);
    const made = await this.#make(store, snapshot, spot);
    return made.ok ? ok(this.#laidOut(spot, made.value, known !== null)) : made;
  }

  /** Takes all but these out of the mounted folder at once; `sweep` then removes them. */
  public async setAside(except: readonly SnapshotId[]): Promise<void> {
    const kept = new Set(except.map((snapshot) => snapshot.slice('snap_'.length)));
    const sources = await Promise.all(
      [this.#paths.laidOut, this.#paths.layingOut].map(async (parent) => {
        const names = (await ifThere(readdir(parent))) ?? [];
        return names.filter((name) => !kept.has(name)).map((name) => join(parent, name));
      }),
    );
    if (sources.flat().length === 0) return;
    await mkdir(this.#paths.laidOutRemoved, { recursive: true });
    for (const source of sources.flat()) {
      const aside = await mkdtemp(join(this.#paths.laidOutRemoved, 'removed-'));
      await rename(source, join(aside, 'removed'));
    }
  }

  /** Removes what was set aside, by an earlier host too. It can take long, and run beside everything else. */
  public async sweep(): Promise<void> {
    for (const name of (await ifThere(readdir(this.#paths.laidOutRemoved))) ?? []) {
      await removeFolder(join(this.#paths.laidOutRemoved, name));
    }
  }

  #spotOf(object: string): Spot {
    const aside = join(this.#paths.layingOut, object);
    return {
      folder: join(this.#paths.laidOut, object),
      aside,
      unfinished: join(aside, 'unfinished'),
      indexFile: join(aside, 'index'),
      recordFile: join(aside, 'record.json'),
    };
  }

  #laidOut({ folder }: Spot, { leftOut, linksLeftOut }: LayingRecord, renewed: boolean): LaidOut {
    return { directory: this.#paths.laidOut, folder, leftOut, linksLeftOut, renewed };
  }

  async #make(
    store: SnapshotStore,
    snapshot: SnapshotId,
    spot: Spot,
  ): Promise<Result<LayingRecord, WorkspaceFailure>> {
    let whole = false;
    try {
      await mkdir(this.#paths.laidOut, { recursive: true });
      await chmod(this.#paths.laidOut, MOUNTED_MODE);
      await mkdir(spot.unfinished, { recursive: true });
      const record = await lay(store, snapshot, spot);
      if (!record.ok) return record;
      await writeJsonFile(spot.recordFile, record.value);
      whole = true;
      return record;
    } finally {
      if (!whole) await discard(spot);
    }
  }
}

async function discard(spot: Spot): Promise<void> {
  await removeFolder(spot.folder);
  await removeFolder(spot.aside);
}

/**
 * Whether every file and folder is as it was left. Git sees a file that was touched; a name that came or went shows in
 * the marks of its folder, `.git` too, which git itself would never mention, and which would make a program of the
 * reader's run what stands in it.
 */
async function isUntouched(store: SnapshotStore, spot: Spot, record: LayingRecord): Promise<boolean> {
  const workTree = { directory: spot.folder, indexFile: spot.indexFile };
  const [touched, marked] = await Promise.all([
    store.run(['diff-files', '-z', '--name-only', '--no-ext-diff'], { workTree, borrowing: true }),
    haveMarks(spot.folder, record.marks),
  ]);
  // Where git can't tell, all is made anew; what keeps it from telling is told then.
  return marked && touched.ok && touched.value.output.length === 0;
}
