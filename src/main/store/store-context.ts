import type { Clock } from '../../shared/kernel/clock.ts';
import type { NewId } from '../../shared/vocabulary/ids.ts';
import type { Connection } from './connection.ts';

/** What every repository stands on. */
export interface StoreContext {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Names this run of the host; leases of any other are void. */
  readonly bootId: string;
}
