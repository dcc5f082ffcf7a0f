import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';

/** Where prepared things are kept from one run of the tests to the next. */
export const cacheFolder = resolve(import.meta.dirname, '../../../node_modules/.cache/tribune-tests');

/** Longer than any preparation takes. */
const MAX_WAIT_MS = 15 * 60_000;

/**
 * Does something while no other process of the tests does the same; it blocks this process until then. The lock is a
 * database's, which lets go of it however its holder ends.
 */
export async function oneAtATime(name: string, work: () => Promise<void> | void): Promise<void> {
  mkdirSync(cacheFolder, { recursive: true });
  const lock = new Database(join(cacheFolder, `${name}.lock`), { timeout: MAX_WAIT_MS });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    await work();
  } finally {
    lock.close();
  }
}
