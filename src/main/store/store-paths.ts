import { join } from 'node:path';

/** Where a data directory keeps what. */
export interface StorePaths {
  readonly directory: string;
  readonly database: string;
  /** Held locked as long as a host lives. */
  readonly lock: string;
  /** Copies from before migrations. */
  readonly backups: string;
}

export function storePathsIn(directory: string): StorePaths {
  return {
    directory,
    database: join(directory, 'tribune.db'),
    lock: join(directory, 'host.lock'),
    backups: join(directory, 'backups'),
  };
}
