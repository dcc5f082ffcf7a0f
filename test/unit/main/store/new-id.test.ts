import { describe, expect, it } from 'vitest';
import { ulidsBy } from '../../../../src/main/store/new-id.ts';
import { idPrefixes, isId } from '../../../../src/shared/vocabulary/ids.ts';
import type { IdKind } from '../../../../src/shared/vocabulary/ids.ts';

describe('new ids', () => {
  it('say what they name', () => {
    const newId = ulidsBy({ now: () => 1_767_225_600_000, after: () => () => undefined });
    for (const kind of Object.keys(idPrefixes) as IdKind[]) expect(isId(kind, newId(kind)), kind).toBe(true);
  });

  it('sort by when they were made, within a millisecond and when the clock is set back', () => {
    let now = 1_767_225_600_000;
    const newId = ulidsBy({ now: () => now, after: () => () => undefined });
    const ids = Array.from({ length: 300 }, (_, index) => {
      if (index % 100 === 0) now += index === 200 ? -5_000 : 1;
      return newId('event');
    });
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(300);
  });
});
