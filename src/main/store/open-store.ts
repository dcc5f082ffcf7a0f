import Database from 'better-sqlite3';
import type { Clock } from '../../shared/kernel/clock.ts';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { NewId } from '../../shared/vocabulary/ids.ts';
import { Connection } from './connection.ts';
import { prepareDirectory } from './data-directory.ts';
import { HostBoots } from './host-boots.ts';
import { takeHostLock } from './host-lock.ts';
import { damageIn, migrate, schemaVersionOf } from './migrate.ts';
import { migrations } from './migrations/embedded.ts';
import { checkSqliteVersion } from './sqlite-version.ts';
import { Store } from './store.ts';
import { corrupt, storeFailureFrom } from './store-failure.ts';
import type { StoreFailure } from './store-failure.ts';
import { storePathsIn } from './store-paths.ts';
import type { StorePaths } from './store-paths.ts';

export interface StoreOptions {
  /** The data directory; made where it is missing. */
  readonly directory: string;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Names this run of the host. */
  readonly bootId: string;
}

/** SQLite waits on the host's one thread, so another program's lock may hold it up no longer than this. */
const BUSY_TIMEOUT_MS = 250;

/** The write-ahead log is cut back to this after a burst. */
const JOURNAL_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/** Opens the store of a data directory for the one host that may use it. */
export function openStore(options: StoreOptions): Result<Store, StoreFailure> {
  const paths = storePathsIn(options.directory);
  const prepared = prepareDirectory(paths);
  if (!prepared.ok) return prepared;
  const lock = takeHostLock(paths);
  if (!lock.ok) return lock;
  const database = openDatabase(paths);
  if (!database.ok) {
    lock.value.release();
    return database;
  }
  const ready = makeReady(database.value, paths, options);
  if (!ready.ok) {
    database.value.close();
    lock.value.release();
    return ready;
  }
  return ok(
    new Store({ ...options, connection: ready.value }, () => {
      closeInGoodOrder(database.value, ready.value, options);
      lock.value.release();
    }),
  );
}

function openDatabase(paths: StorePaths): Result<Database.Database, StoreFailure> {
  return failing(paths, () => ok(new Database(paths.database, { timeout: BUSY_TIMEOUT_MS })));
}

function makeReady(
  database: Database.Database,
  paths: StorePaths,
  { clock, bootId }: StoreOptions,
): Result<Connection, StoreFailure> {
  return failing(paths, () => {
    const version = checkSqliteVersion(database);
    if (!version.ok) return version;
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    database.pragma('trusted_schema = OFF');
    database.pragma(`journal_size_limit = ${JOURNAL_SIZE_LIMIT_BYTES}`);
    const connection = new Connection(database, paths);
    const boots = new HostBoots(connection);
    // A new file has no boots; one of a newer schema is refused before anything in it is read.
    const known = schemaVersionOf(database);
    if (known > 0 && known <= migrations.length && boots.unfinished() !== null) {
      const damage = damageIn(database);
      if (damage !== null) return err(corrupt(paths, damage));
    }
    const migrated = migrate(database, paths, migrations, clock.now());
    if (!migrated.ok) return migrated;
    boots.begin(bootId, process.pid, clock.now());
    return ok(connection);
  });
}

function closeInGoodOrder(
  database: Database.Database,
  connection: Connection,
  { clock, bootId }: StoreOptions,
): void {
  try {
    new HostBoots(connection).end(bootId, clock.now());
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

function failing<T>(paths: StorePaths, work: () => Result<T, StoreFailure>): Result<T, StoreFailure> {
  try {
    return work();
  } catch (thrown) {
    const failure = storeFailureFrom(thrown, paths);
    if (failure === null) throw thrown;
    return err(failure);
  }
}
