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

/** Paths of an index that the rules ignore or that are shaped like secrets. */
export async function exceptionsIn(
  run: Run,
  rulesFile: string,
): Promise<Result<Set<BytePath>, WorkspaceFailure>> {
  const names = await run(['ls-files', '-z', '--cached']);
  return names.ok ? exceptionsAmong(names.value.output, run, rulesFile) : names;
}

async function exceptionsAmong(
  names: Buffer,
  run: Run,
  rulesFile: string,
): Promise<Result<Set<BytePath>, WorkspaceFailure>> {
  const ignored = await run(['ls-files', '-z', '--cached', '--ignored', `--exclude-from=${rulesFile}`]);
  if (!ignored.ok) return ignored;
  return ok(new Set([...bytePathsIn(ignored.value.output), ...bytePathsIn(names).filter(isSecretShaped)]));
}

/**
 * What is known of the exceptions of a place, so that a snapshot need not ask again: matching every name of a large
 * index takes longer than all else. It lives as long as the process.
 */
export class KnownExceptions {
  #tracked: { readonly names: Buffer; readonly exceptions: ReadonlySet<BytePath> } | null = null;
  /** Those that are in our index; null where that is not known. */
  #indexed: ReadonlySet<BytePath> | null = null;

  /** The exceptions that the project tracks in this place now. */
  public async tracked(
    project: ProjectRepository | null,
    rulesFile: string,
  ): Promise<Result<ReadonlySet<BytePath>, WorkspaceFailure>> {
    if (project === null) return ok(new Set());
    const run: Run = (args) => project.run(args);
    const names = await run(['ls-files', '-z', '--cached']);
    if (!names.ok) return names;
    if (this.#tracked?.names.equals(names.value.output) === true) return ok(this.#tracked.exceptions);
    const exceptions = await exceptionsAmong(names.value.output, run, rulesFile);
    if (exceptions.ok) this.#tracked = { names: names.value.output, exceptions: exceptions.value };
    return exceptions;
  }

  /** The exceptions that our index holds. */
  public async indexed(
    run: Run,
    rulesFile: string,
  ): Promise<Result<ReadonlySet<BytePath>, WorkspaceFailure>> {
    return this.#indexed === null ? exceptionsIn(run, rulesFile) : ok(this.#indexed);
  }

  /** Says which are in our index from now on; null if that can't be told. */
  public setIndexed(indexed: ReadonlySet<BytePath> | null): void {
    this.#indexed = indexed;
  }
}
