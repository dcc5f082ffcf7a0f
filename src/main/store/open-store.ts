import Database from 'better-sqlite3';
import type { Clock } from '../../shared/kernel/clock.ts';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { NewId } from '../../shared/vocabulary/ids.ts';
import { Connection } from './connection.ts';
import { prepareDirectory } from './data-directory.ts';
import { HostBoots } from './host-boots.ts';
import { takeHostLock } from './host-lock.ts';
import type { HostLock } from './host-lock.ts';
import { damageIn, migrate, schemaVersionOf } from './migrate.ts';
import { migrations } from './migrations/embedded.ts';
import { checkSqliteVersion } from './sqlite-version.ts';
import { Store } from './store.ts';
import { corrupt, openingFailureFrom } from './store-failure.ts';
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
  let database: Database.Database | null = null;
  let store: Store | null = null;
  try {
    database = new Database(paths.database, { timeout: BUSY_TIMEOUT_MS });
    const opened = { ...options, paths, database, lock: lock.value };
    const ready = makeReady(opened);
    if (!ready.ok) return ready;
    store = new Store({ ...options, connection: ready.value }, () => {
      closeInGoodOrder(opened, ready.value);
    });
    return ok(store);
  } catch (thrown) {
    const failure = openingFailureFrom(thrown, paths);
    if (failure === null) throw thrown;
    return err(failure);
  } finally {
    if (store === null) {
      database?.close();
      lock.value.release();
    }
  }
}

interface Opened extends StoreOptions {
  readonly paths: StorePaths;
  readonly database: Database.Database;
  readonly lock: HostLock;
}

/** Checks the library and the database, brings the schema up to date, and writes the boot down. */
function makeReady({ database, paths, clock, bootId }: Opened): Result<Connection, StoreFailure> {
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
}

function closeInGoodOrder({ database, lock, clock, bootId }: Opened, connection: Connection): void {
  try {
    new HostBoots(connection).end(bootId, clock.now());
    connection.guarded(() => database.pragma('wal_checkpoint(TRUNCATE)'));
  } finally {
    database.close();
    lock.release();
  }
}
