import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextToStart } from '../../../../../src/main/domain/schedule/slots.ts';
import type { Slots, Waiting } from '../../../../../src/main/domain/schedule/slots.ts';

function slots(changes: Partial<Slots> = {}): Slots {
  return {
    total: 5,
    busyRooms: new Set(),
    running: 0,
    runningForPersons: 0,
    servedAt: new Map(),
    ...changes,
  };
}

function waiting(roomId: string, changes: Partial<Waiting> = {}): Waiting {
  return { jobId: `job_${roomId}`, roomId, forPerson: false, since: 0, ...changes };
}

describe('nextToStart', () => {
  it('starts nothing in a room that is busy', () => {
    expect(nextToStart([waiting('a')], slots({ busyRooms: new Set(['a']), running: 1 }))).toBeNull();
  });

  it('keeps the last slot for a person', () => {
    const lastFree = slots({ running: 4 });
    expect(nextToStart([waiting('a')], lastFree)).toBeNull();
    expect(nextToStart([waiting('a'), waiting('b', { forPerson: true })], lastFree)?.roomId).toBe('b');
  });

  it('lets others start while persons hold all other slots: the kept one is in use then', () => {
    const personsEverywhere = slots({ running: 4, runningForPersons: 4 });
    expect(nextToStart([waiting('a')], personsEverywhere)?.roomId).toBe('a');
    const due = [waiting('review'), waiting('b', { forPerson: true })];
    const servedAt = new Map([['b', 9]]);
    expect(nextToStart(due, { ...personsEverywhere, servedAt })?.roomId).toBe('review');
  });

  it('still works where there is only one slot', () => {
    expect(nextToStart([waiting('a')], slots({ total: 1 }))?.roomId).toBe('a');
  });

  it('serves the room that waited longest since its last turn', () => {
    const servedAt = new Map([
      ['a', 20],
      ['b', 10],
    ]);
    expect(nextToStart([waiting('a'), waiting('b')], slots({ servedAt }))?.roomId).toBe('b');
    expect(nextToStart([waiting('a'), waiting('b'), waiting('new')], slots({ servedAt }))?.roomId).toBe(
      'new',
    );
  });

  it('never starves a room: with every room always waiting, each is served in turn', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), (rooms) => {
        const names = Array.from({ length: rooms }, (_, index) => `room${index}`);
        const servedAt = new Map<string, number>();
        for (let now = 1; now <= rooms; now += 1) {
          const next = nextToStart(
            names.map((name) => waiting(name)),
            slots({ servedAt }),
          );
          if (next !== null) servedAt.set(next.roomId, now);
        }
        expect(servedAt.size).toBe(rooms);
      }),
    );
  });
});
