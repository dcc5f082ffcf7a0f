import { and, eq, lte, sql } from 'drizzle-orm';
import type { EngineName } from '../../shared/vocabulary/words.ts';
import type { CoolDown } from '../domain/fallback/cool-downs.ts';
import type { Query, Statement } from './connection.ts';
import { coolDowns } from './schema/cool-downs.ts';
import type { StoreContext } from './store-context.ts';

/** Accounts that are used up or shut out, at most one row each. */
export class CoolDowns {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #all: Query<CoolDown>;
  readonly #remove: Statement;
  readonly #removeBegunBy: Statement;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(coolDowns);
    this.#all = connection.query((db) => db.select().from(coolDowns));
    const isOfAccount = and(
      eq(coolDowns.engine, sql.placeholder('engine')),
      eq(coolDowns.account, sql.placeholder('account')),
    );
    this.#remove = connection.statement((db) => db.delete(coolDowns).where(isOfAccount));
    this.#removeBegunBy = connection.statement((db) =>
      db.delete(coolDowns).where(and(isOfAccount, lte(coolDowns.since, sql.placeholder('at')))),
    );
  }

  /** All that were not cleared, those that have passed too. */
  public all(): CoolDown[] {
    return this.#all.all();
  }

  /** Leaves an account alone; what was known of it before is replaced. */
  public set(coolDown: CoolDown): void {
    this.#context.connection.transaction(() => {
      this.#remove({ engine: coolDown.engine, account: coolDown.account });
      this.#insert(coolDown);
    });
  }

  /** Forgets what is known of an account. */
  public clear(engine: EngineName, account: string): void {
    this.#remove({ engine, account });
  }

  /** A turn that began at this time has succeeded: what kept the account from being used before then is over. */
  public succeeded(engine: EngineName, account: string, at: number): void {
    this.#removeBegunBy({ engine, account, at });
  }
}
