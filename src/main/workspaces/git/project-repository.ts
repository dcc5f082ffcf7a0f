import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { ifThere } from '../../../shared/kernel/system-error.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import { removeFolder } from '../remove-folder.ts';
import { failureOfGit } from './git-failure.ts';
import type { Git, GitAnswer, GitCall } from './git-process.ts';

/**
 * The repository's own configuration, which an agent can edit, must not make git run anything: these win over it.
 * Filters, textconv and external diffs need no entry, because no call that would use them is made here.
 */
const harmlessConfig: readonly string[] = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  `core.attributesFile=${devNull}`,
  `core.excludesFile=${devNull}`,
  'core.untrackedCache=false',
  'core.alternateRefsCommand=false',
  'core.sshCommand=false',
  'core.pager=cat',
  'credential.helper=',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.allow=never',
  'submodule.recurse=false',
  'advice.detachedHead=false',
  // Whose files they are is no question here, since nothing in them is executed.
  'safe.directory=*',
].flatMap((entry) => ['-c', entry]);

/** Files and folders in a git directory that say an operation is unfinished, and what it is called. */
const unfinishedOperations = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
] as const;

/** What a worktree's git directory holds of an operation under way, and a lock that a killed git left. */
const operationFiles = [
  ...unfinishedOperations.map(([name]) => name),
  'MERGE_MSG',
  'MERGE_MODE',
  'index.lock',
];

/** A checkout of the person's repository: their own, or a worktree that we added. */
export interface Checkout {
  readonly topLevel: string;
  readonly gitDirectory: string;
  /** Shared by all worktrees of the repository. */
  readonly commonDirectory: string;
  readonly objectFormat: string;
}

/** The person's repository that a directory belongs to; null where it belongs to none. */
export async function findCheckout(
  git: Git,
  directory: string,
): Promise<Result<Checkout | null, WorkspaceFailure>> {
  const ask = (...words: string[]): Promise<Result<GitAnswer, WorkspaceFailure>> =>
    git({ args: [...harmlessConfig, 'rev-parse', ...words], directory, exits: [0, 128] });
  const [facts, gitDirectory, commonDirectory] = await Promise.all([
    ask('--is-bare-repository', '--is-inside-git-dir', '--show-object-format', '--show-cdup'),
    ask('--absolute-git-dir'),
    ask('--git-common-dir'),
  ]);
  if (!facts.ok) return facts;
  if (!gitDirectory.ok) return gitDirectory;
  if (!commonDirectory.ok) return commonDirectory;
  if (facts.value.exit !== 0) {
    const hasGit = await ifThere(stat(join(directory, '.git')));
    if (hasGit === null && facts.value.errors.includes('not a git repository')) return ok(null);
    return err({
      tag: 'git_failed',
      message: `Git can't read the repository in ${directory}: ${facts.value.errors.trim()}`,
      next: 'Repair or remove its .git, then try again.',
    });
  }
  const [bare, insideGit, objectFormat = 'sha1', up = ''] = facts.value.output.toString('utf8').split('\n');
  if (bare === 'true' || insideGit === 'true') {
    return err({
      tag: 'bare_repository',
      message: `${directory} is a bare repository or lies in a .git directory: there are no files to work on.`,
      next: 'Give the room a checkout of it: git clone it, or git worktree add.',
    });
  }
  if (!/^(\.\.\/)*$/.test(up)) {
    return err({
      tag: 'git_failed',
      message: `The repository of ${directory} has its work tree elsewhere (core.worktree).`,
      next: 'Give the room that work tree as its directory.',
    });
  }
  return ok({
    topLevel: resolve(directory, up),
    gitDirectory: withoutLineEnd(gitDirectory.value.output),
    commonDirectory: resolve(directory, withoutLineEnd(commonDirectory.value.output)),
    objectFormat,
  });
}

/** Calls into a checkout of the person's repository. Its directories are told, never looked up in files an agent can edit. */
export class ProjectRepository {
  readonly #git: Git;
  public readonly checkout: Checkout;

  public constructor(git: Git, checkout: Checkout) {
    this.#git = git;
    this.checkout = checkout;
  }

  public run(
    args: readonly string[],
    more: Partial<GitCall> = {},
  ): Promise<Result<GitAnswer, WorkspaceFailure>> {
    return this.#git({
      directory: this.checkout.topLevel,
      ...more,
      args: [...harmlessConfig, ...args],
      environment: {
        GIT_DIR: this.checkout.gitDirectory,
        GIT_COMMON_DIR: this.checkout.commonDirectory,
        GIT_WORK_TREE: this.checkout.topLevel,
        GIT_LITERAL_PATHSPECS: '1',
        ...more.environment,
      },
    });
  }

  /** The commit that is checked out; null before the first one. */
  public async head(): Promise<Result<string | null, WorkspaceFailure>> {
    const answer = await this.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
      exits: [0, 1, 128],
    });
    if (!answer.ok) return answer;
    return ok(answer.value.exit === 0 ? withoutLineEnd(answer.value.output) : null);
  }

  /** Whether the repository tracks anything below one of its folders. */
  public async tracksBelow(directory: string): Promise<Result<boolean, WorkspaceFailure>> {
    const folder = relative(this.checkout.topLevel, directory);
    const answer = await this.run(['ls-files', '-z', '--', folder], { maxBytes: 1 });
    return answer.ok ? ok(answer.value.output.length > 0) : answer;
  }

  /** What is under way in this checkout, such as a merge; null if nothing is. */
  public async unfinishedOperation(): Promise<string | null> {
    for (const [file, name] of unfinishedOperations) {
      if ((await ifThere(stat(join(this.checkout.gitDirectory, file)))) !== null) return name;
    }
    return null;
  }

  /**
   * Adds a worktree on a branch, at `head`, without any file in it. Before the first commit the branch is unborn
   * there too: git can add a worktree only at a commit, so it gets an empty one first that nothing refers to after.
   */
  public async addWorktree(
    directory: string,
    branch: string,
    head: string | null,
  ): Promise<Result<ProjectRepository, WorkspaceFailure>> {
    const start = head === null ? await this.#emptyCommit() : ok(head);
    if (!start.ok) return start;
    const add = ['worktree', 'add', '--force', '--no-checkout'];
    const made =
      head === null ? ['--detach', directory, start.value] : ['-b', branch, directory, start.value];
    const first = await this.run([...add, ...made], { exits: [0, 128, 255] });
    if (!first.ok) return first;
    if (first.value.exit !== 0) {
      const { exit, errors } = first.value;
      if (!errors.includes('already exists')) return err(failureOfGit(['worktree'], exit, errors));
      // The branch of an earlier try; what was committed on it stays.
      const again = await this.run([...add, directory, branch]);
      if (!again.ok) return again;
    }
    const pointer = await readFile(join(directory, '.git'), 'utf8');
    const gitDirectory = pointer.replace(/^gitdir: /, '').replace(/\n$/, '');
    const worktree = new ProjectRepository(this.#git, {
      ...this.checkout,
      topLevel: directory,
      gitDirectory,
    });
    if (head === null) {
      const unborn = await worktree.run(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
      if (!unborn.ok) return unborn;
    }
    return ok(worktree);
  }

  /**
   * Ties worktree and repository together again, on the branch, whatever an agent did to the files that do so; their
   * form is that of gitrepository-layout(5). What was under way is forgotten.
   */
  public async repair(branch: string): Promise<void> {
    const { gitDirectory, commonDirectory, topLevel } = this.checkout;
    await rm(join(topLevel, '.git'), { recursive: true, force: true });
    await writeFile(join(topLevel, '.git'), `gitdir: ${gitDirectory}\n`);
    await mkdir(gitDirectory, { recursive: true });
    for (const file of operationFiles) await rm(join(gitDirectory, file), { recursive: true, force: true });
    await writeFile(join(gitDirectory, 'gitdir'), `${join(topLevel, '.git')}\n`);
    await writeFile(join(gitDirectory, 'commondir'), `${relative(gitDirectory, commonDirectory)}\n`);
    await writeFile(join(gitDirectory, 'HEAD'), `ref: refs/heads/${branch}\n`);
  }

  /** Puts branch and index of this worktree to `head`; the files stay as they are. */
  public async pointAt(branch: string, head: string | null): Promise<Result<void, WorkspaceFailure>> {
    const ref = `refs/heads/${branch}`;
    const moved = await this.run(head === null ? ['update-ref', '-d', ref] : ['update-ref', ref, head]);
    if (!moved.ok) return moved;
    const read = await this.run(['read-tree', head ?? '--empty']);
    return read.ok ? ok(undefined) : read;
  }

  /** Tells one state of the index file from another: it is replaced whenever it changes. Null where there is none. */
  public async indexMark(): Promise<string | null> {
    const found = await ifThere(stat(join(this.checkout.gitDirectory, 'index'), { bigint: true }));
    return found === null ? null : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
  }

  /**
   * Removes this worktree, and its branch where nothing was committed on it. Not with `git worktree remove`, which
   * believes the links between the two that an agent can edit, and asks for the status, which can run filters. The
   * files are only moved to `aside`: deleting them takes long.
   */
  public async removeWorktree(
    branch: string,
    head: string | null,
    aside: string,
  ): Promise<Result<void, WorkspaceFailure>> {
    const { gitDirectory, commonDirectory, topLevel } = this.checkout;
    // What an earlier removal that was cut off had left there.
    await removeFolder(aside);
    await ifThere(rename(topLevel, aside));
    await rm(gitDirectory, { recursive: true, force: true });
    if (head === null) return ok(undefined);
    const repository = new ProjectRepository(this.#git, {
      ...this.checkout,
      topLevel: commonDirectory,
      gitDirectory: commonDirectory,
    });
    // Refused where the branch has moved on: then it holds commits that someone may want.
    const deleted = await repository.run(['update-ref', '-d', `refs/heads/${branch}`, head], {
      exits: [0, 1, 128],
    });
    return deleted.ok ? ok(undefined) : deleted;
  }

  async #emptyCommit(): Promise<Result<string, WorkspaceFailure>> {
    const tree = await this.run(['hash-object', '-t', 'tree', '-w', '--stdin'], { input: '' });
    if (!tree.ok) return tree;
    const commit = await this.run(['commit-tree', withoutLineEnd(tree.value.output)], {
      input: 'Empty\n',
      environment: fixedAuthor,
    });
    return commit.ok ? ok(withoutLineEnd(commit.value.output)) : commit;
  }
}

/** Who and when the empty commit says it is from: nobody and never, so that there is one of it. */
const fixedAuthor = {
  GIT_AUTHOR_NAME: 'Tribune',
  GIT_AUTHOR_EMAIL: 'snapshot@tribune.invalid',
  GIT_AUTHOR_DATE: '1970-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'Tribune',
  GIT_COMMITTER_EMAIL: 'snapshot@tribune.invalid',
  GIT_COMMITTER_DATE: '1970-01-01T00:00:00Z',
} as const;

export function withoutLineEnd(output: Buffer): string {
  return output.toString('utf8').replace(/\r?\n$/, '');
}
