import { chown, lchown, lstat, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Dirent } from 'node:fs';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { CliFailure } from '../ports/coding-cli.ts';
import type { InsideUser } from './users.ts';

/**
 * Makes a worktree writable for the agent's user where the host is root, whose own number no agent has. Only a worktree
 * of ours is given away: a directory of the person's keeps its owner, and then no sealed owner can work in it.
 */
export async function giveWorktree(
  worktree: string,
  ownFolder: string,
  agent: InsideUser,
): Promise<Result<void, CliFailure>> {
  if (!worktree.startsWith(ownFolder + sep)) {
    const { uid } = await lstat(worktree);
    return uid === agent.uid ? ok(undefined) : err(notOurs(worktree));
  }
  await chown(worktree, agent.uid, agent.gid);
  await giveEntries(worktree, agent);
  return ok(undefined);
}

async function giveEntries(folder: string, agent: InsideUser): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await giveEntry(path, entry, agent);
    if (entry.isDirectory()) await giveEntries(path, agent);
  }
}

async function giveEntry(path: string, entry: Dirent, agent: InsideUser): Promise<void> {
  const { uid, nlink } = await lstat(path);
  // A file with other names may lie outside too, as in a package manager's store: it stays root's, and can be read.
  const isShared = nlink > 1 && !entry.isDirectory();
  if (uid !== agent.uid && !isShared) await lchown(path, agent.uid, agent.gid);
}

function notOurs(worktree: string): CliFailure {
  return {
    tag: 'seal_broken',
    message: `A sealed owner cannot write in ${worktree}: the host runs as root, and no agent does.`,
    next: 'Start the host as an ordinary user, or let the room work in a worktree of its own.',
  };
}
