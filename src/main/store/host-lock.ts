import Database from 'better-sqlite3';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { storeFailureFrom } from './store-failure.ts';
import type { StoreFailure } from './store-failure.ts';
import type { StorePaths } from './store-paths.ts';

/** The right to be the one host of a data directory. */
export interface HostLock {
  release(): void;
}

/**
 * Takes the data directory for this process. The lock is the operating system's own on an open file, taken by
 * SQLite on a database of its own, so it ends with the process however that ends: there is nothing stale to
 * guess about. Opening the lock file in any other way within this process would drop it.
 */
export function takeHostLock(paths: StorePaths): Result<HostLock, StoreFailure> {
  const lock = new Database(paths.lock, { timeout: 0 });
  try {
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (thrown) {
    lock.close();
    const failure = storeFailureFrom(thrown, paths);
    if (failure === null) throw thrown;
    return err(failure.tag === 'locked' ? anotherHost(paths) : failure);
  }
  return ok({
    release: () => {
      lock.close();
    },
  });
}

function anotherHost(paths: StorePaths): StoreFailure {
  return {
    tag: 'another_host',
    message: `Another Tribune host is running on the data directory ${paths.directory}.`,
    next: 'Use that host, stop it first, or give this one a data directory of its own.',
  };
}
