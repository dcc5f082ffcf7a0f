import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { migrate, schemaVersionOf } from '../../../src/main/store/migrate.ts';
import { migrations } from '../../../src/main/store/migrations/embedded.ts';
import { ulidsBy } from '../../../src/main/store/new-id.ts';
import { openStore } from '../../../src/main/store/open-store.ts';
import { storePathsIn } from '../../../src/main/store/store-paths.ts';
import type { StorePaths } from '../../../src/main/store/store-paths.ts';
import { newRoom, openedStore, START, temporaryDirectory } from './support.ts';

const sources = join(import.meta.dirname, '../../../src/main/store/migrations');

function emptyDatabase(): { readonly database: Database.Database; readonly paths: StorePaths } {
  const paths = storePathsIn(temporaryDirectory());
  mkdirSync(paths.backups);
  const database = new Database(paths.database);
  onTestFinished(() => {
    database.close();
  });
  return { database, paths };
}

/** Brings a database to the schema before a migration, with rows of that time in it. */
function databaseBefore(name: string): { readonly database: Database.Database; readonly paths: StorePaths } {
  const index = migrations.findIndex((migration) => migration.name === name);
  const empty = emptyDatabase();
  expect(migrate(empty.database, empty.paths, migrations.slice(0, index), START)).toMatchObject({ ok: true });
  const rows = join(import.meta.dirname, 'rows-before', `${name}.sql`);
  if (index > 0) empty.database.exec(readFileSync(rows, 'utf8'));
  return empty;
}

/** What each migration has to have done with the rows in `rows-before/<name>.sql`; the first one finds none. */
const expectations: Readonly<Record<string, (database: Database.Database) => void>> = {
  '0000_first_tables': (database) => {
    const names = database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .pluck()
      .all();
    expect(names).toEqual([
      'agents',
      'attempts',
      'criteria',
      'effects',
      'escalations',
      'events',
      'findings',
      'host_boots',
      'inbox',
      'jobs',
      'messages',
      'model_calls',
      'outbox',
      'rooms',
      'session_entries',
      'sessions',
      'snapshots',
      'tasks',
      'turns',
      'verdicts',
    ]);
  },
  '0001_accounts_and_permissions': (database) => {
    const row = (sql: string): unknown => database.prepare(sql).get();
    expect(row('SELECT * FROM attempts')).toMatchObject({
      id: 'att_1',
      outcome: 'ended',
      engine: null,
      account: null,
      waited_ms: 0,
    });
    expect(row('SELECT * FROM sessions')).toMatchObject({ id: 'ses_1', role: 'owner', engine: null });
    const states = database.prepare('SELECT state FROM escalations ORDER BY number').pluck();
    expect(states.all()).toEqual(['answered', 'open']);
    const ask = (id: string, number: number, kind: string): unknown =>
      database.exec(
        `INSERT INTO escalations SELECT '${id}', task_id, ${number}, '${kind}', text, answers, snapshot, "limit",
           back, shown_hash, state, answer, answer_text, answered_by, created_at, closed_at
         FROM escalations WHERE id = 'esc_2'`,
      );
    expect(() => ask('esc_3', 3, 'deadlock')).toThrow(/UNIQUE/);
    ask('esc_4', 1, 'permission');
    expect(() => ask('esc_5', 1, 'permission')).toThrow(/UNIQUE/);
  },
};

describe('each migration', () => {
  it.each(migrations.map((migration) => migration.name))('%s keeps what was there before it', (name) => {
    const version = migrations.findIndex((migration) => migration.name === name) + 1;
    const { database, paths } = databaseBefore(name);
    expect(migrate(database, paths, migrations.slice(0, version), START)).toMatchObject({ ok: true });
    expect(schemaVersionOf(database)).toBe(version);
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    const expectation = expectations[name];
    if (expectation === undefined) throw new Error(`Say in this file what ${name} has to do.`);
    expectation(database);
  });

  it('is embedded as it stands in its file', () => {
    const files = readdirSync(sources).filter((file) => file.endsWith('.sql'));
    expect(migrations).toEqual(
      files.sort().map((file) => ({
        name: file.slice(0, -4),
        sql: readFileSync(join(sources, file), 'utf8'),
      })),
    );
  });
});

describe('migrating', () => {
  const addition = { name: 'addition', sql: 'ALTER TABLE rooms ADD COLUMN colour text;' };
  const broken = { name: 'broken', sql: 'CREATE TABLE half (id text); INSERT INTO nowhere VALUES (1);' };

  it('copies a database that has something to lose before it is changed, and keeps the last few copies', () => {
    const { database, paths } = emptyDatabase();
    migrate(database, paths, migrations, START);
    expect(readdirSync(paths.backups)).toEqual([]);
    database.exec("INSERT INTO rooms VALUES ('room_1', 'lab', '{}', 1, NULL)");
    const grown = [...migrations];
    for (let day = 0; day < 5; day += 1) {
      grown.push({ name: `addition-${day}`, sql: `ALTER TABLE rooms ADD COLUMN colour_${day} text;` });
      expect(migrate(database, paths, grown, START + day)).toMatchObject({ ok: true });
    }
    const copies = readdirSync(paths.backups).sort();
    expect(copies).toEqual([
      `2026-01-01T00-00-00-002Z-schema-${migrations.length + 2}.db`,
      `2026-01-01T00-00-00-003Z-schema-${migrations.length + 3}.db`,
      `2026-01-01T00-00-00-004Z-schema-${migrations.length + 4}.db`,
    ]);
    const newest = new Database(join(paths.backups, copies[2] ?? ''), { readonly: true });
    expect(newest.prepare('SELECT id, name FROM rooms').all()).toEqual([{ id: 'room_1', name: 'lab' }]);
    expect(schemaVersionOf(newest)).toBe(migrations.length + 4);
    newest.close();
    expect((statSync(join(paths.backups, copies[2] ?? '')).mode & 0o777).toString(8)).toBe('600');
  });

  it('makes no copy where nothing is to be done', () => {
    const directory = temporaryDirectory();
    openedStore(directory).close();
    openedStore(directory).close();
    expect(readdirSync(join(directory, 'backups'))).toEqual([]);
  });

  it('takes a migration that fails back whole, and leaves the copy', () => {
    const { database, paths } = emptyDatabase();
    migrate(database, paths, migrations, START);
    expect(() => migrate(database, paths, [...migrations, addition, broken], START)).toThrow(/nowhere/);
    expect(schemaVersionOf(database)).toBe(migrations.length + 1);
    expect(database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").pluck().get()).toBe(0);
    expect(readdirSync(paths.backups)).toHaveLength(1);
  });

  it('refuses a migration that leaves rows referring to nothing', () => {
    const { database, paths } = emptyDatabase();
    migrate(database, paths, migrations, START);
    const orphan = {
      name: 'orphan',
      sql: "INSERT INTO inbox VALUES ('discord:1', 'msg_none', 1);",
    };
    expect(() => migrate(database, paths, [...migrations, orphan], START)).toThrow(/refer to nothing/);
    expect(schemaVersionOf(database)).toBe(migrations.length);
  });

  it('clears away the half copy of a host that died while copying', () => {
    const { database, paths } = emptyDatabase();
    migrate(database, paths, migrations, START);
    writeFileSync(join(paths.backups, '2025-12-31-schema-1.db.unfinished'), 'half');
    migrate(database, paths, [...migrations, addition], START);
    expect(readdirSync(paths.backups)).toEqual([`2026-01-01T00-00-00-000Z-schema-${migrations.length}.db`]);
  });

  it('leaves a copy that can take the place of a damaged database, as the failure says', () => {
    const directory = temporaryDirectory();
    const paths = storePathsIn(directory);
    const before = openedStore(directory);
    const roomId = newRoom(before);
    before.close();
    const database = new Database(paths.database);
    migrate(database, paths, [...migrations, addition], START);
    database.close();
    writeFileSync(paths.database, 'damaged '.repeat(1_000));
    const opened = openStore({
      directory,
      clock: systemClock,
      newId: ulidsBy(systemClock),
      bootId: 'boot-on-damage',
    });
    const next = opened.ok ? '' : opened.failure.next;
    const [, backup = ''] = /copy (.*) to its place/.exec(next) ?? [];
    for (const file of readdirSync(directory).filter((name) => name.startsWith('tribune.db'))) {
      rmSync(join(directory, file));
    }
    copyFileSync(backup, paths.database);
    expect(openedStore(directory).rooms.byName('lab')?.id).toBe(roomId);
  });
});

describe('the schema in code', () => {
  it('is the one that the migrations make', async () => {
    const { database, paths } = emptyDatabase();
    migrate(database, paths, migrations, START);
    const folder = join(sources, '../schema');
    const modules = readdirSync(folder).map((file) => import(join(folder, file)) as Promise<object>);
    const tables = (await Promise.all(modules)).flatMap((module) =>
      Object.values(module).filter((value): value is SQLiteTable => is(value, SQLiteTable)),
    );
    expect(tables).toHaveLength(21);
    for (const table of tables) {
      const { name, columns, indexes, foreignKeys } = getTableConfig(table);
      const info = database.prepare(
        'SELECT name, lower(type) AS type, "notnull" AS required FROM pragma_table_info(?)',
      );
      expect(info.all(name), name).toEqual(
        columns.map((column) => ({
          name: column.name,
          type: column.getSQLType(),
          required: column.notNull ? 1 : 0,
        })),
      );
      const made = database
        .prepare("SELECT name FROM pragma_index_list(?) WHERE origin = 'c' ORDER BY name")
        .pluck();
      const uniques = columns.filter((column) => column.isUnique).map((column) => column.uniqueName);
      const named = indexes.map((index) => index.config.name);
      expect(made.all(name), name).toEqual([...named, ...uniques].sort());
      const references = database.prepare('SELECT count(*) FROM pragma_foreign_key_list(?)').pluck();
      expect(references.get(name), name).toBe(foreignKeys.length);
    }
  });
});
