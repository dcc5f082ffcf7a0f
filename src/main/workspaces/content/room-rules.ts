import { mkdir, readFile, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, posix, relative, sep } from 'node:path';
import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { ifThere } from '../../../shared/kernel/system-error.ts';
import type { TaskId } from '../../../shared/vocabulary/ids.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import { bytePathOf } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import type { Git } from '../git/git-process.ts';
import type { Ground } from '../ground.ts';
import type { RoomPaths } from '../room-paths.ts';
import {
  collectRules,
  collectRulesOfIndexed,
  excludeFolder,
  firstRules,
  readPersonalRules,
  writeRules,
} from './ignore-rules.ts';
import { exceptionsIn, KnownExceptions } from './exceptions.ts';
import type { Place } from './take-snapshot.ts';

/** Says what is content in a room: now in the person's directory, and from its start on in a task. */
export class RoomRules {
  readonly #git: Git;
  readonly #paths: RoomPaths;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #dependencies: readonly string[];

  public constructor(
    git: Git,
    paths: RoomPaths,
    environment: Readonly<Record<string, string | undefined>>,
    dependencies: readonly string[],
  ) {
    this.#git = git;
    this.#paths = paths;
    this.#environment = environment;
    this.#dependencies = dependencies;
  }

  /** The person's directory, with its rules as they are now. */
  public async directory(ground: Ground): Promise<Result<Place, WorkspaceFailure>> {
    const { root, project, store } = ground;
    const personal = await this.personal(ground);
    await mkdir(dirname(this.#paths.directoryIndex), { recursive: true });
    const workTree = { directory: root, indexFile: this.#paths.directoryIndex };
    const inFiles = await collectRules(store, workTree, this.#paths.personalRules);
    if (!inFiles.ok) return inFiles;
    const { ofContent, ofCaches } = inFiles.value;
    await writeRules(this.#paths.cacheRules, ofCaches);
    const never = await this.never(root);
    const rules = [...personal, ...ofContent, ...ofCaches, ...never.map(excludeFolder)];
    await writeRules(this.#paths.directoryRules, rules);
    // The rules may be others than last time, so nothing is known.
    const known = new KnownExceptions();
    return ok({ ...workTree, rulesFile: this.#paths.directoryRules, always: [], never, project, known });
  }

  /**
   * Fixes the rules of a task whose worktree has just been filled with its base, so that no later edit of an
   * ignore file or of git's configuration hides anything. Gives the paths of the base that are content in spite of
   * them.
   */
  public async fixForTask(
    ground: Ground,
    task: TaskId,
    directory: string,
    personal: readonly string[],
  ): Promise<Result<readonly BytePath[], WorkspaceFailure>> {
    const workTree = { directory, indexFile: this.#paths.index(task) };
    const ofContent = await collectRulesOfIndexed(ground.store, workTree);
    if (!ofContent.ok) return ofContent;
    const ofCaches = await ifThere(readFile(this.#paths.cacheRules, 'latin1'));
    const never = (await this.never(directory)).map(excludeFolder);
    const rules = [...personal, ...ofContent.value, ...(ofCaches ?? '').split('\n'), ...never];
    await writeRules(this.#paths.rules(task), rules);
    const exceptions = await exceptionsIn(
      (args) => ground.store.run(args, { workTree }),
      this.#paths.rules(task),
    );
    return exceptions.ok ? ok([...exceptions.value]) : exceptions;
  }

  /** The rules that are in no file of the content. They are also written down, for git to read. */
  public async personal(ground: Ground): Promise<readonly string[]> {
    const common = ground.project?.checkout.commonDirectory ?? null;
    const rules = await readPersonalRules(this.#git, ground.root, common, this.#environment);
    const lines = [...firstRules, ...rules];
    await writeRules(this.#paths.personalRules, [
      ...lines,
      ...(await this.never(ground.root)).map(excludeFolder),
    ]);
    return lines;
  }

  /** Folders that are never content: the room's dependencies, and our own data where it lies in the directory. */
  public async never(root: string): Promise<BytePath[]> {
    const own = relative(root, await realpath(this.#paths.root))
      .split(sep)
      .join('/');
    const folders = this.#dependencies.map((folder) => posix.normalize(folder).replace(/^\/|\/$/g, ''));
    if (own !== '' && !own.startsWith('..') && !isAbsolute(own)) folders.push(own);
    return folders.map(bytePathOf);
  }
}
