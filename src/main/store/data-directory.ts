import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { messageOf, err, ok } from '../../shared/kernel/result.ts';
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

function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE });
  chmodSync(path, DIRECTORY_MODE);
}

/** SQLite gives its -wal and -shm files the mode of the database. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE));
  chmodSync(path, FILE_MODE);
}
