import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { isSecretShaped } from '../../../shared/kernel/secret-shapes.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import { bytePathsIn } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import type { GitAnswer } from '../git/git-process.ts';
import type { ProjectRepository } from '../git/project-repository.ts';

/** Runs git on one index. */
type Run = (args: readonly string[]) => Promise<Result<GitAnswer, WorkspaceFailure>>;

const listNames = ['ls-files', '-z', '--cached'] as const;

function listIgnored(rulesFile: string): readonly string[] {
  return [...listNames, '--ignored', `--exclude-from=${rulesFile}`];
}

/** Paths of an index that the rules ignore or that are shaped like secrets. */
export async function exceptionsIn(
  run: Run,
  rulesFile: string,
): Promise<Result<ReadonlySet<BytePath>, WorkspaceFailure>> {
  const [names, ignored] = await Promise.all([run(listNames), run(listIgnored(rulesFile))]);
  if (!names.ok) return names;
  return ignored.ok ? ok(exceptionsAmong(names.value.output, ignored.value.output)) : ignored;
}

function exceptionsAmong(names: Buffer, ignored: Buffer): ReadonlySet<BytePath> {
  return new Set([...bytePathsIn(ignored), ...bytePathsIn(names).filter(isSecretShaped)]);
}

/**
 * What is known of the exceptions of a place, so that a snapshot need not ask again: matching every name of a large
 * index takes longer than all else. It lives as long as the process.
 */
export class KnownExceptions {
  #tracked: {
    /** Of the project's index when it was asked; null where it had none. */
    readonly mark: string | null;
    readonly names: Buffer;
    readonly exceptions: ReadonlySet<BytePath>;
  } | null = null;
  /** Those that are in our index; null where that is not known. */
  #indexed: ReadonlySet<BytePath> | null = null;

  /** The exceptions that the project tracks in this place now. */
  public async tracked(
    project: ProjectRepository | null,
    rulesFile: string,
  ): Promise<Result<ReadonlySet<BytePath>, WorkspaceFailure>> {
    if (project === null) return ok(new Set());
    const mark = await project.indexMark();
    if (mark !== null && this.#tracked?.mark === mark) return ok(this.#tracked.exceptions);
    const run: Run = (args) => project.run(args);
    const listing = await run(listNames);
    if (!listing.ok) return listing;
    const names = listing.value.output;
    if (this.#tracked?.names.equals(names) === true) {
      this.#tracked = { ...this.#tracked, mark };
      return ok(this.#tracked.exceptions);
    }
    const ignored = await run(listIgnored(rulesFile));
    if (!ignored.ok) return ignored;
    const exceptions = exceptionsAmong(names, ignored.value.output);
    this.#tracked = { mark, names, exceptions };
    return ok(exceptions);
  }

  /** The exceptions that our index holds. */
  public async indexed(
    run: Run,
    rulesFile: string,
  ): Promise<Result<ReadonlySet<BytePath>, WorkspaceFailure>> {
    return this.#indexed === null ? exceptionsIn(run, rulesFile) : ok(this.#indexed);
  }

  /** Asks anew the next time, whatever seems to be as it was. */
  public distrust(): void {
    this.#tracked = null;
    this.#indexed = null;
  }

  /** Says which are in our index from now on; null if that can't be told. */
  public setIndexed(indexed: ReadonlySet<BytePath> | null): void {
    this.#indexed = indexed;
  }
}
