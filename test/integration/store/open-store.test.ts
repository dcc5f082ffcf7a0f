import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import type { Result } from '../../../src/shared/kernel/result.ts';
import { migrations } from '../../../src/main/store/migrations/embedded.ts';
import { ulidsBy } from '../../../src/main/store/new-id.ts';
import { openStore } from '../../../src/main/store/open-store.ts';
import { StoreError } from '../../../src/main/store/store-failure.ts';
import type { StoreFailure } from '../../../src/main/store/store-failure.ts';
import type { Store } from '../../../src/main/store/store.ts';
import { HandClock, newRoom, openedStore, temporaryDirectory } from './support.ts';

function attempt(directory: string, bootId = 'another-boot'): Result<Store, StoreFailure> {
  return openStore({ directory, clock: systemClock, newId: ulidsBy(systemClock), bootId });
}

function failureOf(directory: string): StoreFailure {
  const opened = attempt(directory);
  if (!opened.ok) return opened.failure;
  opened.value.close();
  throw new Error('The store opened.');
}

/** A host in a process of its own, which ends with the test at the latest. */
function hostProcess(directory: string): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'holding-host.ts'), directory], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

const permissionsOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** A data directory whose host was killed in the middle: the files as they were, without the shared memory. */
function killedHost(events: number): { readonly directory: string; readonly walBytes: readonly number[] } {
  const living = temporaryDirectory();
  const store = openedStore(living);
  const wal = join(living, 'tribune.db-wal');
  const walBytes: number[] = [];
  for (let index = 1; index <= events; index += 1) {
    store.events.append({ type: 'turn.said', data: { index, filling: 'x'.repeat(1_500) } });
    walBytes.push(statSync(wal).size);
  }
  const directory = temporaryDirectory();
  for (const file of ['tribune.db', 'tribune.db-wal'])
    copyFileSync(join(living, file), join(directory, file));
  return { directory, walBytes };
}

describe('opening a store', () => {
  it('makes a directory and files that only this user can read, whatever they were', () => {
    const directory = join(temporaryDirectory(), 'deep', 'data');
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
    const store = openedStore(directory);
    store.events.append({ type: 'turn.said', data: {} });
    expect(permissionsOf(directory)).toBe('700');
    expect(permissionsOf(join(directory, 'backups'))).toBe('700');
    for (const file of ['tribune.db', 'tribune.db-wal', 'tribune.db-shm', 'host.lock']) {
      expect(permissionsOf(join(directory, file)), file).toBe('600');
    }
  });

  it('gives back what was stored, and leaves no write-ahead log behind', () => {
    const directory = temporaryDirectory();
    const store = openedStore(directory);
    const roomId = newRoom(store);
    store.close();
    store.close();
    expect(() => statSync(join(directory, 'tribune.db-wal'))).toThrow(/ENOENT/);
    expect(openedStore(directory).rooms.byName('lab')?.id).toBe(roomId);
  });

  it('says where the directory cannot be used', () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    expect(failureOf(join(file, 'data'))).toMatchObject({ tag: 'unusable_directory' });
    expect(failureOf(join(file, 'data')).message).toContain(file);
  });

  it('refuses a database of a newer schema, and names the file and both versions', () => {
    const directory = temporaryDirectory();
    openedStore(directory).close();
    const database = new Database(join(directory, 'tribune.db'));
    database.pragma(`user_version = ${migrations.length + 1}`);
    database.exec('DROP TABLE host_boots');
    database.close();
    const failure = failureOf(directory);
    expect(failure.tag).toBe('newer_schema');
    expect(failure.message).toContain(join(directory, 'tribune.db'));
    expect(failure.message).toContain(`version ${migrations.length + 1}`);
    expect(failure.message).toContain(`up to ${migrations.length}`);
    expect(failure.next).toMatch(/newer Tribune/);
  });

  it('says when another program holds the database locked', () => {
    const directory = temporaryDirectory();
    openedStore(directory).close();
    const browser = new Database(join(directory, 'tribune.db'));
    browser.exec('BEGIN IMMEDIATE');
    const failure = failureOf(directory);
    browser.close();
    expect(failure).toMatchObject({ tag: 'locked' });
    expect(failure.message).toContain(join(directory, 'tribune.db'));
    expect(attempt(directory)).toMatchObject({ ok: true, value: { close: expect.anything() as unknown } });
  });

  it('throws that a running store is locked, and goes on when it no longer is', () => {
    const directory = temporaryDirectory();
    const store = openedStore(directory);
    const browser = new Database(join(directory, 'tribune.db'));
    browser.exec('BEGIN IMMEDIATE');
    const append = (): unknown => store.events.append({ type: 'turn.said', data: {} });
    expect(append).toThrow(StoreError);
    expect(() => store.transaction(append)).toThrow(/locked/);
    browser.close();
    append();
    expect(store.events.since(0)).toHaveLength(1);
  });
});

describe('two hosts on one data directory', () => {
  it('are one too many, also in one process', () => {
    const directory = temporaryDirectory();
    const store = openedStore(directory);
    expect(failureOf(directory)).toMatchObject({ tag: 'another_host' });
    store.close();
    openedStore(directory);
  });

  it('cannot be, however often they try; the lock goes with the process that held it, and nothing with it', async () => {
    const directory = temporaryDirectory();
    const child = hostProcess(directory);
    const ended = once(child, 'exit');
    let acknowledged = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged = Number(line);
      if (acknowledged === 50) {
        expect(failureOf(directory)).toMatchObject({ tag: 'another_host' });
        expect(failureOf(directory).message).toContain(directory);
        child.kill('SIGKILL');
      }
    }
    await ended;
    expect(acknowledged).toBeGreaterThanOrEqual(50);
    const store = openedStore(directory);
    const kept = store.events.since(0).map((event) => event.seq);
    expect(kept.slice(0, acknowledged)).toEqual(
      Array.from({ length: acknowledged }, (_, index) => index + 1),
    );
  });

  it('are noticed by another process also after one has tried in this process', async () => {
    const directory = temporaryDirectory();
    openedStore(directory);
    failureOf(directory);
    const child = hostProcess(directory);
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint += chunk.toString();
    });
    child.stdout.resume();
    await once(child, 'close');
    expect(complaint).toContain('Another Tribune host is running');
  });
});

describe('a store whose host was cut off', () => {
  it('has every commit whose bytes reached the disk, and nothing of the others, wherever the power went', () => {
    const commits = 12;
    const { directory, walBytes } = killedHost(commits);
    const wal = readFileSync(join(directory, 'tribune.db-wal'));
    const frameBytes = 24 + 4096;
    for (let cut = 0; cut <= wal.length; cut = cut === 0 ? 32 : cut + frameBytes) {
      const survivor = temporaryDirectory();
      copyFileSync(join(directory, 'tribune.db'), join(survivor, 'tribune.db'));
      writeFileSync(join(survivor, 'tribune.db-wal'), wal.subarray(0, cut));
      const reached = walBytes.filter((bytes) => bytes <= cut).length;
      const store = openedStore(survivor);
      expect(store.events.since(0).map((event) => event.data['index'])).toEqual(
        Array.from({ length: reached }, (_, index) => index + 1),
      );
      store.close();
      rmSync(survivor, { recursive: true });
    }
  });

  it('is checked when it opens again, and damage is named with the backup that can take its place', () => {
    const { directory } = killedHost(40);
    mkdirSync(join(directory, 'backups'));
    writeFileSync(join(directory, 'backups', '2026-01-01-schema-1.db'), '');
    // All into the one file, without the order of a good end; then a page of the log's table is lost.
    const database = new Database(join(directory, 'tribune.db'));
    database.pragma('wal_checkpoint(TRUNCATE)');
    const root = Number(
      database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").pluck().get(),
    );
    database.close();
    const bytes = readFileSync(join(directory, 'tribune.db'));
    bytes.fill(0x5a, (root - 1) * 4096, root * 4096);
    writeFileSync(join(directory, 'tribune.db'), bytes);
    const failure = failureOf(directory);
    expect(failure.tag).toBe('corrupt');
    expect(failure.message).toContain(join(directory, 'tribune.db'));
    expect(failure.next).toContain(join(directory, 'backups', '2026-01-01-schema-1.db'));
  });

  it('says what is damaged where it is no database at all, or cut short', () => {
    const { directory } = killedHost(1);
    truncateSync(join(directory, 'tribune.db'), 5 * 4096);
    expect(failureOf(directory)).toMatchObject({ tag: 'corrupt' });
    writeFileSync(
      join(directory, 'tribune.db'),
      'not a database, but long enough to be read as the header of one'.repeat(9),
    );
    expect(failureOf(directory)).toMatchObject({ tag: 'corrupt' });
    expect(failureOf(directory).next).toContain('There is no backup');
  });

  it('never fails without a name, whichever byte is wrong', () => {
    const { directory } = killedHost(30);
    const database = new Database(join(directory, 'tribune.db'));
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    const sound = readFileSync(join(directory, 'tribune.db'));
    const outcomes = { opened: 0, failed: 0 };
    for (let turn = 0; turn < 60; turn += 1) {
      const bytes = Buffer.from(sound);
      // Spread over the file, the header and the schema's page among them.
      const position = turn < 20 ? turn * 5 : Math.floor((turn * sound.length) / 60);
      bytes.writeUInt8(bytes.readUInt8(position) ^ 0xff, position);
      writeFileSync(join(directory, 'tribune.db'), bytes);
      rmSync(join(directory, 'tribune.db-wal'), { force: true });
      const opened = attempt(directory, `boot-${turn}`);
      if (opened.ok) {
        outcomes.opened += 1;
        opened.value.close();
      } else {
        outcomes.failed += 1;
        expect(opened.failure.next).not.toBe('');
      }
    }
    expect(outcomes.opened).toBeGreaterThan(0);
    expect(outcomes.failed).toBeGreaterThan(0);
  });
});

describe('a boot', () => {
  it('sees which one before it did not end', () => {
    const clock = new HandClock();
    const { directory } = killedHost(1);
    const database = new Database(join(directory, 'tribune.db'));
    const unfinished = (): unknown =>
      database.prepare('SELECT count(*) FROM host_boots WHERE ended_at IS NULL').pluck().get();
    expect(unfinished()).toBe(1);
    const store = openedStore(directory, clock);
    expect(unfinished()).toBe(1);
    store.close();
    expect(unfinished()).toBe(0);
    database.close();
  });
});
