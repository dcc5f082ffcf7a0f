import type Database from 'better-sqlite3';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { StoreFailure } from './store-failure.ts';

/** Older ones can corrupt a database in WAL mode (the "WAL-reset bug"): https://sqlite.org/wal.html */
const OLDEST_SAFE_SQLITE = '3.51.3';

/** Refuses an SQLite library that could corrupt what it is given. */
export function checkSqliteVersion(database: Database.Database): Result<void, StoreFailure> {
  const version = String(database.prepare('SELECT sqlite_version()').pluck().get());
  if (isAtLeast(version, OLDEST_SAFE_SQLITE)) return ok(undefined);
  return err({
    tag: 'old_sqlite',
    message: `The SQLite library is version ${version}, which can corrupt a database; ${OLDEST_SAFE_SQLITE} or newer is needed.`,
    next: 'Install the dependencies again as the lock file says: npm ci.',
  });
}

/** Compares versions of three numbers. */
export function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0;
}
