import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { makePrivateFile } from './data-directory.ts';
import type { Migration } from './migrations/embedded.ts';
import { corrupt } from './store-failure.ts';
import type { StoreFailure } from './store-failure.ts';
import type { StorePaths } from './store-paths.ts';

/** How many copies from before migrations are kept. */
const BACKUPS_KEPT = 3;

/** What a copy is called by until it is whole. */
const UNFINISHED = '.unfinished';

/**
 * Brings the database to the newest schema, one transaction per migration, after a backup where there is
 * something to lose. The schema's version is the number of migrations applied, kept in SQLite's `user_version`.
 */
export function migrate(
  database: Database.Database,
  paths: StorePaths,
  migrations: readonly Migration[],
  now: number,
): Result<void, StoreFailure> {
  const version = schemaVersionOf(database);
  if (version > migrations.length) {
    return err({
      tag: 'newer_schema',
      message: `The database ${paths.database} has schema version ${version}; this Tribune knows versions up to ${migrations.length}.`,
      next: `Run a newer Tribune, or put a backup from ${paths.backups} in its place.`,
    });
  }
  if (version === migrations.length) return ok(undefined);
  if (version > 0) {
    const backup = backUp(database, paths, version, now);
    if (!backup.ok) return backup;
  }
  // A migration that rebuilds a table has to drop the old one while others refer to it.
  database.pragma('foreign_keys = OFF');
  migrations.slice(version).forEach((migration, index) => {
    apply(database, migration, version + index + 1);
  });
  database.pragma('foreign_keys = ON');
  // So that the main file alone is a whole database, whatever becomes of the log beside it.
  database.pragma('wal_checkpoint(TRUNCATE)');
  return ok(undefined);
}

/** How many migrations a database has had. */
export function schemaVersionOf(database: Database.Database): number {
  return Number(database.pragma('user_version', { simple: true }));
}

function apply(database: Database.Database, migration: Migration, version: number): void {
  const whole = database.transaction(() => {
    database.exec(migration.sql);
    const violations = database.pragma('foreign_key_check');
    if (Array.isArray(violations) && violations.length > 0) {
      throw new Error(`The migration ${migration.name} leaves rows that refer to nothing.`);
    }
    database.pragma(`user_version = ${version}`);
  });
  whole.immediate();
}

/** Copies the database whole, proves that the copy opens and is sound, and removes copies that are too many. */
function backUp(
  database: Database.Database,
  paths: StorePaths,
  version: number,
  now: number,
): Result<void, StoreFailure> {
  const moment = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  const finished = join(paths.backups, `${moment}-schema-${version}.db`);
  const unfinished = `${finished}${UNFINISHED}`;
  for (const left of readdirSync(paths.backups).filter((file) => file.endsWith(UNFINISHED))) {
    rmSync(join(paths.backups, left));
  }
  // SQLite fills a file that is empty, and leaves its mode alone.
  makePrivateFile(unfinished);
  database.prepare('VACUUM INTO ?').run(unfinished);
  const problem = problemOf(unfinished);
  if (problem !== null) return err(corrupt(paths, `its copy is not sound, ${problem}`));
  sync(unfinished);
  renameSync(unfinished, finished);
  sync(paths.backups);
  const copies = readdirSync(paths.backups)
    .filter((file) => file.endsWith('.db'))
    .sort();
  for (const old of copies.slice(0, -BACKUPS_KEPT)) rmSync(join(paths.backups, old));
  return ok(undefined);
}

function problemOf(file: string): string | null {
  const copy = new Database(file, { readonly: true });
  try {
    return damageIn(copy);
  } finally {
    copy.close();
  }
}

/** SQLite's own first complaint about a database; null where it is sound. */
export function damageIn(database: Database.Database): string | null {
  const verdict = String(database.pragma('quick_check(1)', { simple: true }));
  return verdict === 'ok' ? null : verdict;
}

function sync(path: string): void {
  // Windows cannot open a directory; there the rename is durable by itself.
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
