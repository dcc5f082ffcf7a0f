import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { err, messageOf, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { StoreFailure } from './store-failure.ts';
import type { StorePaths } from './store-paths.ts';

/** What agents said and did is for this user alone. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** Makes the data directory and its database file where they are missing, closed to other users either way. */
export function prepareDirectory(paths: StorePaths): Result<void, StoreFailure> {
  try {
    makePrivateDirectory(paths.directory);
    makePrivateDirectory(paths.backups);
    makePrivateFile(paths.lock);
    makePrivateFile(paths.database);
    return ok(undefined);
  } catch (cause) {
    return err({
      tag: 'unusable_directory',
      message: `The data directory ${paths.directory} cannot be used: ${messageOf(cause)}.`,
      next: 'Choose a directory that this user can write in, or make this one writable.',
    });
  }
}

/** One folder after another: asked to make all at once, Node never returns where a system folder such as /proc refuses. */
function makePrivateDirectory(path: string): void {
  if (!existsSync(path)) {
    makePrivateParents(dirname(path));
    mkdirSync(path, { mode: DIRECTORY_MODE });
  }
  chmodSync(path, DIRECTORY_MODE);
}

function makePrivateParents(path: string): void {
  if (existsSync(path)) return;
  makePrivateParents(dirname(path));
  mkdirSync(path, { mode: DIRECTORY_MODE });
}

/**
 * Makes a file that only this user can open; SQLite gives its -wal and -shm files the mode of the database. A file
 * that exists is not opened: to close it again would drop the locks that this process holds on it.
 */
export function makePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', FILE_MODE));
  chmodSync(path, FILE_MODE);
}
