import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { checkSqliteVersion, isAtLeast } from '../../../../src/main/store/sqlite-version.ts';

describe('the SQLite version', () => {
  it.each([
    ['3.51.3', true],
    ['3.51.10', true],
    ['3.54.1', true],
    ['4.0.0', true],
    ['3.51.2', false],
    ['3.9.99', false],
  ])('%s is new enough: %s', (version, expected) => {
    expect(isAtLeast(version, '3.51.3')).toBe(expected);
  });

  it('of the library that comes with the product is', () => {
    const database = new Database(':memory:');
    expect(checkSqliteVersion(database)).toEqual({ ok: true, value: undefined });
    database.close();
  });
});
