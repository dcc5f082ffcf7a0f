import { describe, expect, it } from 'vitest';
import type { ProcessRow } from '../../../../src/main/terminals/process-table.ts';
import { belongsTo, membersOf } from '../../../../src/main/terminals/process-tree.ts';

const row = (pid: number, parent: number, session: number, mark: string | null = null): ProcessRow => ({
  pid,
  parent,
  session,
  started: pid,
  mark,
});

describe('membersOf', () => {
  const tree = { root: 10, mark: 'ours' };
  const pids = (table: readonly ProcessRow[]): number[] =>
    membersOf(belongsTo(tree), table)
      .map(({ pid }) => pid)
      .sort((a, b) => a - b);

  it('finds descendants of any depth, in whatever order they are listed', () => {
    expect(pids([row(13, 12, 13), row(12, 11, 12), row(11, 10, 10), row(10, 1, 10)])).toEqual([
      10, 11, 12, 13,
    ]);
  });

  it('finds what its session still holds after the parent has died', () => {
    expect(pids([row(20, 1, 10)])).toEqual([20]);
  });

  it('finds what left the session and lost its parent, by the mark, and its children', () => {
    expect(pids([row(30, 1, 30, 'ours'), row(31, 30, 31)])).toEqual([30, 31]);
  });

  it('leaves everything else alone', () => {
    expect(pids([row(1, 0, 1), row(5, 1, 5, 'another'), row(6, 5, 5)])).toEqual([]);
  });
});
