import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ulidsBy } from '../src/main/store/new-id.ts';
import { openStore } from '../src/main/store/open-store.ts';
import { storePathsIn } from '../src/main/store/store-paths.ts';
import { systemClock } from '../src/shared/kernel/clock.ts';
import { figure, median } from './figure.ts';
import type { Bar, Figure } from './figure.ts';
import { valueOf } from './programs.ts';
import type { Scratch } from './scratch.ts';

const ROUNDS = 9;
const EVENTS_PER_ROUND = 150;
const EVENTS_PER_TRANSACTION_ROUND = 5_000;
const data = { number: 1, role: 'owner', purpose: 'work', attempt: 1, engine: 'anthropic', model: 'a model' };

/** Events appended by the store, and by a bare loop with the same statement, table and pragmas. */
export function events(scratch: Scratch): Promise<readonly Figure[]> {
  const newId = ulidsBy(systemClock);
  const directory = scratch.folder('store');
  const store = valueOf(openStore({ directory, clock: systemClock, newId, bootId: 'bench' }));
  scratch.scope.add('the store', () => {
    store.close();
  });
  const bare = openBare(directory, join(scratch.folder('bare'), 'bare.db'));
  scratch.scope.add('the bare database', () => {
    bare.close();
  });
  const insert = bare.prepare(
    'INSERT INTO events (id, at, type, room_id, task_id, turn_id, data) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const own = (): void => {
    store.events.append({ type: 'turn.started', roomId: 'room_1', taskId: 'task_1', data });
  };
  const other = (): void => {
    const [id, now] = [newId('event'), Date.now()];
    insert.run(id, now, 'turn.started', 'room_1', 'task_1', null, JSON.stringify(data));
  };
  const bar: Bar = { of: 'ratio', atLeast: 0.8 };
  return Promise.resolve([
    compared('events appended, each durable by itself', EVENTS_PER_ROUND, own, other, bar),
    compared(
      'events appended within one transaction',
      EVENTS_PER_TRANSACTION_ROUND,
      own,
      other,
      undefined,
      (work) => {
        store.transaction(work);
      },
      (work) => {
        bare.transaction(work).immediate();
      },
    ),
  ]);
}

/** The rounds of the two alternate, so that both meet the same weather. */
function compared(
  name: string,
  count: number,
  own: () => void,
  other: () => void,
  bar: Bar | undefined,
  ownRound = atOnce,
  otherRound = atOnce,
): Figure {
  const [owns, others]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    owns.push(perSecond(count, own, ownRound));
    others.push(perSecond(count, other, otherRound));
  }
  const yardstick = { what: 'bare better-sqlite3, same table and pragmas', value: median(others) };
  return figure({ name, value: median(owns), unit: 'per s', yardstick, ...(bar && { bar }) });
}

type Round = (work: () => void) => void;

const atOnce: Round = (work) => {
  work();
};

function perSecond(count: number, work: () => void, round: Round): number {
  const startedAt = performance.now();
  round(() => {
    for (let nth = 0; nth < count; nth += 1) work();
  });
  return (count / (performance.now() - startedAt)) * 1000;
}

/** A database with the store's own events table, and nothing else. */
function openBare(storeDirectory: string, path: string): Database.Database {
  const original = new Database(storePathsIn(storeDirectory).database, { readonly: true });
  const schema = original
    .prepare<[], { readonly sql: string }>(
      "SELECT sql FROM sqlite_schema WHERE tbl_name = 'events' AND sql IS NOT NULL",
    )
    .all();
  original.close();
  const bare = new Database(path);
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
    'trusted_schema = OFF',
  ]) {
    bare.pragma(pragma);
  }
  for (const { sql } of schema) bare.exec(sql);
  return bare;
}
