import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Failure } from '../../shared/kernel/result.ts';
import type { StorePaths } from './store-paths.ts';

export type StoreFailureTag =
  /** The data directory cannot be made, entered or written. */
  | 'unusable_directory'
  /** Another living host uses this data directory. */
  | 'another_host'
  /** The SQLite library is one that can corrupt a database. */
  | 'old_sqlite'
  /** A newer Tribune has written the database. */
  | 'newer_schema'
  | 'corrupt'
  /** Another program holds the database locked. */
  | 'locked'
  | 'disk_full'
  | 'input_output';

/** What can go wrong with the store without a bug being to blame. */
export interface StoreFailure extends Failure {
  readonly tag: StoreFailureTag;
  readonly next: string;
}

/**
 * How every method of an open store reports a failure of the database: it throws this, and the transaction that
 * it was part of has been rolled back whole. Only opening gives its failure as a value.
 */
export class StoreError extends Error {
  public readonly failure: StoreFailure;

  public constructor(failure: StoreFailure, options: ErrorOptions) {
    super(failure.message, options);
    this.name = 'StoreError';
    this.failure = failure;
  }
}

/** Reads what SQLite threw as a failure; null where it is no failure of the outside but a bug of ours. */
export function storeFailureFrom(thrown: unknown, paths: StorePaths): StoreFailure | null {
  if (thrown instanceof StoreError) return thrown.failure;
  if (!(thrown instanceof Database.SqliteError)) return null;
  const file = paths.database;
  switch (thrown.code.split('_')[1] ?? '') {
    case 'CORRUPT':
    case 'NOTADB':
      return corrupt(paths, thrown.message);
    case 'BUSY':
    case 'LOCKED':
      return {
        tag: 'locked',
        message: `Another program holds the database ${file} locked.`,
        next: 'Close the program that has it open (a database browser, a backup), then try again.',
      };
    case 'FULL':
      return {
        tag: 'disk_full',
        message: `The disk is full: ${file} could not be written. Nothing that was acknowledged is lost.`,
        next: `Free some space where ${paths.directory} is, then try again.`,
      };
    case 'IOERR':
    case 'READONLY':
    case 'CANTOPEN':
    case 'PERM':
      return {
        tag: 'input_output',
        message: `The database ${file} could not be read or written (${thrown.code}).`,
        next: `Check that ${paths.directory} is there, that this user may write in it, and that its disk is sound and has space.`,
      };
    default:
      return null;
  }
}

/**
 * The same while opening: there, SQL that is known to be right and does not fit means that the tables are not
 * those that the database's schema version promises.
 */
export function openingFailureFrom(thrown: unknown, paths: StorePaths): StoreFailure | null {
  if (thrown instanceof Database.SqliteError && thrown.code === 'SQLITE_ERROR') {
    return corrupt(paths, `its tables are not those of its schema version (${thrown.message})`);
  }
  return storeFailureFrom(thrown, paths);
}

/** The failure of a database whose bytes are not what they should be. */
export function corrupt(paths: StorePaths, detail: string): StoreFailure {
  const backup = newestBackup(paths);
  return {
    tag: 'corrupt',
    message: `The database ${paths.database} is damaged: ${detail}.`,
    next:
      backup === null
        ? `There is no backup. Move ${paths.database} and the files beside it that begin with its name elsewhere, and start again with an empty one.`
        : `Move ${paths.database} and the files beside it that begin with its name elsewhere, and copy ${backup} to its place.`,
  };
}

function newestBackup(paths: StorePaths): string | null {
  if (!existsSync(paths.backups)) return null;
  const newest = readdirSync(paths.backups)
    .filter((file) => file.endsWith('.db'))
    .sort()
    .at(-1);
  return newest === undefined ? null : join(paths.backups, newest);
}
