import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { Connection } from '../../../src/main/store/connection.ts';
import { ulidsBy } from '../../../src/main/store/new-id.ts';
import { Store } from '../../../src/main/store/store.ts';
import { StoreError } from '../../../src/main/store/store-failure.ts';
import { storePathsIn } from '../../../src/main/store/store-paths.ts';
import { HandClock, newRoom, openedStore, temporaryDirectory } from './support.ts';

describe('a transaction', () => {
  it('keeps all that it wrote, or nothing', () => {
    const store = openedStore(temporaryDirectory());
    const fail = (): void => {
      store.transaction(() => {
        newRoom(store, 'gone');
        store.events.append({ type: 'room.created', data: {} });
        throw new Error('no');
      });
    };
    expect(fail).toThrow('no');
    expect(store.rooms.list()).toEqual([]);
    expect(store.events.since(0)).toEqual([]);
    expect(store.transaction(() => newRoom(store, 'kept'))).toBe(store.rooms.byName('kept')?.id);
  });

  it('within another is a part of it', () => {
    const store = openedStore(temporaryDirectory());
    store.transaction(() => {
      store.transaction(() => newRoom(store, 'inner'));
      newRoom(store, 'outer');
    });
    expect(store.rooms.list().map((room) => room.name)).toEqual(['inner', 'outer']);
  });

  it('cannot commit when a part of it failed, though the failure was caught', () => {
    const store = openedStore(temporaryDirectory());
    expect(() => {
      store.transaction(() => {
        newRoom(store, 'outer');
        expect(() => {
          store.transaction(() => {
            throw new Error('inner');
          });
        }).toThrow('inner');
      });
    }).toThrow(/cannot commit/);
    expect(store.rooms.list()).toEqual([]);
  });

  it('takes no work that goes on later', () => {
    const store = openedStore(temporaryDirectory());
    expect(() => store.transaction(() => Promise.resolve(newRoom(store)))).toThrow(/goes on later/);
    expect(store.rooms.list()).toEqual([]);
  });

  it('tells listeners of its events after its commit, and of none that were rolled back', () => {
    const store = openedStore(temporaryDirectory());
    const heard: string[] = [];
    const stop = store.events.onAppended((event) => heard.push(event.type));
    store.transaction(() => {
      store.events.append({ type: 'turn.due', data: {} });
      store.events.append({ type: 'turn.started', data: {} });
      expect(heard).toEqual([]);
    });
    expect(heard).toEqual(['turn.due', 'turn.started']);
    expect(() => {
      store.transaction(() => {
        store.events.append({ type: 'turn.failed', data: {} });
        throw new Error('no');
      });
    }).toThrow('no');
    store.events.append({ type: 'turn.said', data: {} });
    stop();
    store.events.append({ type: 'turn.ended', data: {} });
    expect(heard).toEqual(['turn.due', 'turn.started', 'turn.said']);
  });

  it('may be begun by a listener', () => {
    const store = openedStore(temporaryDirectory());
    store.events.onAppended((event) => {
      if (event.type === 'turn.due')
        store.transaction(() => store.events.append({ type: 'turn.started', data: {} }));
    });
    store.transaction(() => store.events.append({ type: 'turn.due', data: {} }));
    expect(store.events.since(0).map((event) => event.type)).toEqual(['turn.due', 'turn.started']);
  });
});

describe('a full disk', () => {
  it('is thrown as what it is, loses nothing that was acknowledged, and is got over', () => {
    const directory = temporaryDirectory();
    openedStore(directory).close();
    const paths = storePathsIn(directory);
    const clock = new HandClock();
    const database = new Database(join(directory, 'tribune.db'));
    const connection = new Connection(database, paths);
    const store = new Store({ connection, clock, newId: ulidsBy(clock), bootId: 'boot' }, () =>
      database.close(),
    );
    database.pragma(`max_page_count = ${Number(database.pragma('page_count', { simple: true })) + 3}`);
    const heard: number[] = [];
    store.events.onAppended((event) => heard.push(event.seq));
    const append = (): void => {
      store.transaction(() => {
        store.events.append({ type: 'turn.said', data: { filling: 'x'.repeat(3_000) } });
        store.events.append({ type: 'tool.started', data: { filling: 'x'.repeat(3_000) } });
      });
    };
    let thrown: unknown = null;
    while (thrown === null) {
      try {
        append();
      } catch (failure) {
        thrown = failure;
      }
    }
    expect(thrown).toBeInstanceOf(StoreError);
    expect(thrown).toMatchObject({
      failure: { tag: 'disk_full', message: expect.stringContaining(paths.database) as string },
    });
    expect(store.events.since(0).map((event) => event.seq)).toEqual(heard);
    expect(heard.length % 2).toBe(0);
    database.pragma('max_page_count = 100000');
    append();
    expect(store.events.since(0)).toHaveLength(heard.length);
    store.close();
  });
});
