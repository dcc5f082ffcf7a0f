import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StaleLease } from '../../../src/main/store/jobs.ts';
import type { Lease, NewJob } from '../../../src/main/store/jobs.ts';
import type { Store } from '../../../src/main/store/store.ts';
import { HandClock, newRoom, openedStore, START, temporaryDirectory } from './support.ts';

function job(key: string, extra: Partial<NewJob> = {}): NewJob {
  return {
    kind: 'turn',
    roomId: null,
    taskId: null,
    payload: { turn: 1 },
    runAt: START,
    idempotencyKey: key,
    ...extra,
  };
}

function claimed(store: Store, key: string, extra: Partial<NewJob> = {}): Lease {
  const lease = store.jobs.claim(store.jobs.add(job(key, extra)).id);
  if (lease === null) throw new Error(`${key} could not be claimed`);
  return lease;
}

describe('jobs', () => {
  it('are added once for a key', () => {
    const store = openedStore(temporaryDirectory());
    const first = store.jobs.add(job('a'));
    expect(store.jobs.add(job('a', { runAt: START + 9 }))).toEqual({ kind: 'known', id: first.id });
    expect(store.jobs.due(START)).toMatchObject([{ id: first.id, payload: { turn: 1 }, attempt: 0 }]);
  });

  it('are due by urgency, then by time, never before their time', () => {
    const clock = new HandClock();
    const store = openedStore(temporaryDirectory(), clock);
    expect(store.jobs.nextRunAt()).toBeNull();
    store.jobs.add(job('later', { runAt: START + 5_000 }));
    store.jobs.add(job('second', { runAt: START + 2 }));
    store.jobs.add(job('first', { runAt: START + 1 }));
    store.jobs.add(job('person', { runAt: START + 3, priority: 1 }));
    expect(store.jobs.due(START)).toEqual([]);
    expect(store.jobs.nextRunAt()).toBe(START + 1);
    expect(store.jobs.due(START + 4_999).map((due) => due.idempotencyKey)).toEqual([
      'person',
      'first',
      'second',
    ]);
    expect(store.jobs.due(START + 5_000)).toHaveLength(4);
  });

  it('are claimed by one', () => {
    const store = openedStore(temporaryDirectory());
    const { id } = store.jobs.add(job('a'));
    expect(store.jobs.claim(id)).toMatchObject({ job: { state: 'running', attempt: 1 }, fence: 1 });
    expect(store.jobs.claim(id)).toBeNull();
    expect(store.jobs.due(START)).toEqual([]);
  });

  it('are done once; a failed one waits again or is over', () => {
    const store = openedStore(temporaryDirectory());
    const lease = claimed(store, 'a');
    store.jobs.fail(lease, 'overloaded', START + 10);
    expect(store.jobs.due(START + 9)).toEqual([]);
    expect(store.jobs.due(START + 10)).toMatchObject([{ id: lease.job.id, lastError: 'overloaded' }]);
    const again = store.jobs.claim(lease.job.id);
    if (again === null) throw new Error('not claimed');
    expect(() => {
      store.jobs.complete(lease);
    }).toThrow(StaleLease);
    store.jobs.complete(again);
    expect(() => {
      store.jobs.complete(again);
    }).toThrow(StaleLease);
    const other = claimed(store, 'b');
    store.jobs.fail(other, 'refused', null);
    expect(store.jobs.claim(other.job.id)).toBeNull();
    expect(store.jobs.nextRunAt()).toBeNull();
  });

  it('take what was written with a stale lease back', () => {
    const store = openedStore(temporaryDirectory());
    const lease = claimed(store, 'a', { taskId: 'task_1' });
    expect(store.jobs.cancelFor('task_1')).toBe(1);
    expect(() => {
      store.transaction(() => {
        newRoom(store);
        store.jobs.complete(lease);
      });
    }).toThrow(StaleLease);
    expect(store.rooms.list()).toEqual([]);
  });

  it('of a task are cancelled together, the running ones too', () => {
    const store = openedStore(temporaryDirectory());
    store.jobs.add(job('a', { taskId: 'task_1' }));
    const running = claimed(store, 'b', { taskId: 'task_1' });
    store.jobs.add(job('c', { taskId: 'task_2' }));
    store.jobs.add(job('d'));
    expect(store.jobs.cancelFor('task_1')).toBe(2);
    expect(() => {
      store.jobs.complete(running);
    }).toThrow(StaleLease);
    expect(store.jobs.due(START).map((due) => due.idempotencyKey)).toEqual(['c', 'd']);
  });

  it('of another boot wait again, and its leases are void', () => {
    const directory = temporaryDirectory();
    const before = openedStore(directory);
    const lease = claimed(before, 'a');
    const done = claimed(before, 'b');
    before.jobs.complete(done);
    before.close();
    const store = openedStore(directory);
    const mine = claimed(store, 'c');
    expect(store.jobs.reclaim().map((reclaimed) => reclaimed.id)).toEqual([lease.job.id]);
    expect(store.jobs.reclaim()).toEqual([]);
    expect(() => {
      store.jobs.complete(lease);
    }).toThrow(StaleLease);
    store.jobs.complete(mine);
    expect(store.jobs.claim(lease.job.id)).toMatchObject({ fence: lease.fence + 2, job: { attempt: 2 } });
  });

  it('are never finished under two leases, whatever happens in whatever order', () => {
    const store = openedStore(temporaryDirectory());
    let key = 0;
    const moves = fc.array(fc.constantFrom('claim', 'complete', 'fail', 'cancel'), { maxLength: 12 });
    fc.assert(
      fc.property(moves, (order) => {
        key += 1;
        const taskId = `task_${key}` as const;
        const { id } = store.jobs.add(job(`job-${key}`, { taskId }));
        const leases: Lease[] = [];
        let living: Lease | null = null;
        let completed = 0;
        for (const move of order) {
          if (move === 'cancel') {
            store.jobs.cancelFor(taskId);
            living = null;
          }
          if (move === 'claim') {
            const lease = store.jobs.claim(id);
            if (lease !== null) leases.push(lease);
            living = lease ?? living;
          }
          for (const lease of move === 'complete' || move === 'fail' ? leases : []) {
            const finish = (): void => {
              if (move === 'complete') store.jobs.complete(lease);
              else store.jobs.fail(lease, 'again', START);
            };
            if (lease === living) {
              finish();
              living = null;
              if (move === 'complete') completed += 1;
            } else expect(finish).toThrow(StaleLease);
          }
        }
        expect(completed).toBeLessThanOrEqual(1);
      }),
      { numRuns: 60 },
    );
  });
});
