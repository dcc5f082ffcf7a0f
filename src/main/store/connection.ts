import type Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteInsertValue, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { StoreError, storeFailureFrom } from './store-failure.ts';
import type { StorePaths } from './store-paths.ts';

type Values = Record<string, unknown>;

/** A query that is compiled once. Its values go by the names of its placeholders. */
export interface Query<Row> {
  all(values?: Values): Row[];
  get(values?: Values): Row | undefined;
}

/** A statement that is compiled once; gives the number of rows that it changed. */
export type Statement = (values: Values) => number;

/** A row as it is inserted: every column said, except those that the database makes up. */
export type NewRow<T extends SQLiteTable, Generated extends string = never> = Required<
  Omit<T['$inferInsert'], Generated>
>;

/** The one connection of a host to its database: transactions, compiled queries, and failures with a name. */
export class Connection {
  /** For what is too rare to be compiled. Use it inside `transaction` or `guarded`. */
  public readonly builder: BetterSQLite3Database;
  readonly #database: Database.Database;
  readonly #paths: StorePaths;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rollback: Database.Statement;
  #open: OpenTransaction | null = null;

  public constructor(database: Database.Database, paths: StorePaths) {
    this.#database = database;
    this.#paths = paths;
    this.builder = drizzle(database);
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
  }

  /**
   * Runs synchronous work as one transaction: all of it becomes durable, or none. Within another transaction it
   * joins that one; if it then throws, the outer one cannot commit either. Throws what the work throws.
   */
  public transaction<T>(work: () => T): T {
    if (this.#open !== null) return joined(this.#open, work);
    this.guarded(() => this.#begin.run());
    const open: OpenTransaction = { afterCommit: [], spoilt: false };
    this.#open = open;
    let value: T;
    try {
      value = this.guarded(work);
      if (value instanceof Promise) throw new Error('A transaction was given work that goes on later.');
      if (open.spoilt) throw new Error('A part of the transaction failed, so the whole cannot commit.');
      this.guarded(() => this.#commit.run());
    } catch (thrown) {
      // After some failures SQLite has rolled back by itself.
      if (this.#database.inTransaction) this.#rollback.run();
      throw thrown;
    } finally {
      this.#open = null;
    }
    for (const callback of open.afterCommit) callback();
    return value;
  }

  /** Calls back when the running transaction has committed, never if it is rolled back; at once outside of one. */
  public afterCommit(callback: () => void): void {
    if (this.#open === null) callback();
    else this.#open.afterCommit.push(callback);
  }

  /** Gives failures of the database their name. */
  public guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      const failure = storeFailureFrom(thrown, this.#paths);
      if (failure === null || thrown instanceof StoreError) throw thrown;
      throw new StoreError(failure, { cause: thrown });
    }
  }

  /** Compiles a query. */
  public query<Row>(build: (builder: BetterSQLite3Database) => Compilable<Row>): Query<Row> {
    const compiled = build(this.builder).prepare();
    return {
      all: (values) => this.guarded(() => compiled.all(values)),
      get: (values) => this.guarded(() => compiled.get(values)),
    };
  }

  /** Compiles a statement. */
  public statement(build: (builder: BetterSQLite3Database) => Changing): Statement {
    const compiled = build(this.builder).prepare();
    return (values) => this.guarded(() => compiled.run(values).changes);
  }

  /** Compiles the insertion of one row; gives its rowid. */
  public insertion<T extends SQLiteTable, Generated extends string = never>(
    table: T,
    ...generated: Generated[]
  ): (row: NewRow<T, Generated>) => number {
    // Drizzle's types ask for each column by name; these are all of them.
    const values = placeholdersOf(table, generated) as SQLiteInsertValue<T>;
    const compiled = this.builder.insert(table).values(values).prepare();
    return (row) => this.guarded(() => Number(compiled.run(row).lastInsertRowid));
  }

  /** Compiles the rewriting of one row, found by its id, but for the columns that it keeps. */
  public rewriting<T extends SQLiteTable & { readonly id: SQLiteColumn }, Kept extends string>(
    table: T,
    ...kept: Kept[]
  ): (row: NewRow<T, Kept>) => number {
    const values = placeholdersOf(table, ['id', ...kept]);
    const compiled = this.builder
      .update(table)
      .set(values)
      .where(eq(table.id, sql.placeholder('id')))
      .prepare();
    return (row) => this.guarded(() => compiled.run(row).changes);
  }
}

function placeholdersOf(table: SQLiteTable, skipped: readonly string[]): Values {
  const columns = Object.keys(getTableColumns(table)).filter((name) => !skipped.includes(name));
  return Object.fromEntries(columns.map((name) => [name, sql.placeholder(name)]));
}

interface OpenTransaction {
  readonly afterCommit: (() => void)[];
  spoilt: boolean;
}

/** What Drizzle's builders of reading (or returning) queries have in common. */
interface Compilable<Row> {
  prepare(): { all(values?: Values): Row[]; get(values?: Values): Row | undefined };
}

/** What Drizzle's builders of changing statements have in common. */
interface Changing {
  prepare(): { run(values?: Values): Database.RunResult };
}

function joined<T>(open: OpenTransaction, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    open.spoilt = true;
    throw thrown;
  }
}
