import { and, asc, desc, eq, inArray, lte, min, ne, sql } from 'drizzle-orm';
import type { JobId, RoomId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { Query, Statement } from './connection.ts';
import { jobs } from './schema/jobs.ts';
import type { StoreContext } from './store-context.ts';

export type Job = typeof jobs.$inferSelect;

export interface NewJob {
  readonly kind: string;
  readonly roomId: RoomId | null;
  readonly taskId: TaskId | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** When it may start, in milliseconds since 1970. */
  readonly runAt: number;
  /** Higher goes first; 0 where nothing is said. */
  readonly priority?: number;
  /** A job with a key that was added before is not added again. */
  readonly idempotencyKey: string;
}

/** The right to carry a job out. It ends with the boot that took it, or when the job is cancelled or reclaimed. */
export interface Lease {
  readonly job: Job;
  readonly fence: number;
}

/** A job was reported on under a lease that no longer holds: whoever holds it now has the say. */
export class StaleLease extends Error {
  public constructor(lease: Lease) {
    super(`The lease on job ${lease.job.id} (${lease.job.kind}) no longer holds.`);
    this.name = 'StaleLease';
  }
}

/** Work that waits or runs. Nothing polls: `nextRunAt` says when to look again. */
export class Jobs {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #byKey: Query<Job>;
  readonly #due: Query<Job>;
  readonly #nextRunAt: Query<{ runAt: number | null }>;
  readonly #turnOf: Query<{ runAt: number }>;
  readonly #hurryTurn: Statement;
  readonly #claim: Query<Job>;
  readonly #finish: Statement;
  readonly #cancelOfTask: Statement;
  readonly #reclaim: Query<Job>;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(jobs);
    this.#byKey = connection.query((db) =>
      db
        .select()
        .from(jobs)
        .where(eq(jobs.idempotencyKey, sql.placeholder('key'))),
    );
    this.#due = connection.query((db) =>
      db
        .select()
        .from(jobs)
        .where(and(eq(jobs.state, 'ready'), lte(jobs.runAt, sql.placeholder('now'))))
        .orderBy(desc(jobs.priority), asc(jobs.runAt), asc(jobs.id)),
    );
    this.#nextRunAt = connection.query((db) =>
      db
        .select({ runAt: min(jobs.runAt) })
        .from(jobs)
        .where(eq(jobs.state, 'ready')),
    );
    this.#turnOf = connection.query((db) =>
      db
        .select({ runAt: jobs.runAt })
        .from(jobs)
        .where(
          and(eq(jobs.taskId, sql.placeholder('taskId')), eq(jobs.state, 'ready'), eq(jobs.kind, 'turn')),
        ),
    );
    this.#hurryTurn = connection.statement((db) =>
      db
        .update(jobs)
        .set({ runAt: sql`${sql.placeholder('now')}`, updatedAt: sql`${sql.placeholder('now')}` })
        .where(
          and(eq(jobs.taskId, sql.placeholder('taskId')), eq(jobs.state, 'ready'), eq(jobs.kind, 'turn')),
        ),
    );
    this.#claim = connection.query((db) =>
      db
        .update(jobs)
        .set({
          state: 'running',
          leaseOwner: context.bootId,
          fence: sql`${jobs.fence} + 1`,
          attempt: sql`${jobs.attempt} + 1`,
          updatedAt: sql`${sql.placeholder('now')}`,
        })
        .where(and(eq(jobs.id, sql.placeholder('id')), eq(jobs.state, 'ready')))
        .returning(),
    );
    this.#finish = connection.statement((db) =>
      db
        .update(jobs)
        .set({
          state: sql`${sql.placeholder('state')}`,
          leaseOwner: null,
          runAt: sql`coalesce(${sql.placeholder('runAt')}, ${jobs.runAt})`,
          lastError: sql`${sql.placeholder('error')}`,
          updatedAt: sql`${sql.placeholder('now')}`,
        })
        .where(
          and(
            eq(jobs.id, sql.placeholder('id')),
            eq(jobs.state, 'running'),
            eq(jobs.leaseOwner, context.bootId),
            eq(jobs.fence, sql.placeholder('fence')),
          ),
        ),
    );
    this.#cancelOfTask = connection.statement((db) =>
      db
        .update(jobs)
        .set({ state: 'cancelled', leaseOwner: null, updatedAt: sql`${sql.placeholder('now')}` })
        .where(and(eq(jobs.taskId, sql.placeholder('taskId')), inArray(jobs.state, ['ready', 'running']))),
    );
    this.#reclaim = connection.query((db) =>
      db
        .update(jobs)
        .set({
          state: 'ready',
          leaseOwner: null,
          fence: sql`${jobs.fence} + 1`,
          updatedAt: sql`${sql.placeholder('now')}`,
        })
        .where(and(eq(jobs.state, 'running'), ne(jobs.leaseOwner, context.bootId)))
        .returning(),
    );
  }

  /** Adds a job, unless its key was used before: then it gives the job that has it, whatever became of that. */
  public add(job: NewJob): { readonly kind: 'new' | 'known'; readonly id: JobId } {
    return this.#context.connection.transaction(() => {
      const known = this.#byKey.get({ key: job.idempotencyKey });
      if (known !== undefined) return { kind: 'known', id: known.id };
      const now = this.#context.clock.now();
      const id = this.#context.newId('job');
      this.#insert({
        ...job,
        id,
        state: 'ready',
        priority: job.priority ?? 0,
        attempt: 0,
        leaseOwner: null,
        fence: 0,
        lastError: null,
        createdAt: now,
        updatedAt: now,
      });
      return { kind: 'new', id };
    });
  }

  /** The jobs that may start now, the most urgent first. */
  public due(now: number): Job[] {
    return this.#due.all({ now });
  }

  /** When the next job may start, be it past or to come; null where none waits. */
  public nextRunAt(): number | null {
    return this.#nextRunAt.get()?.runAt ?? null;
  }

  /** Until when a task's turn waits to be started; null where none waits, or it may start now. */
  public turnWaitsUntil(taskId: TaskId): number | null {
    const runAt = this.#turnOf.get({ taskId })?.runAt ?? 0;
    return runAt > this.#context.clock.now() ? runAt : null;
  }

  /** Lets a task's turn that waits start now. */
  public hurryTurn(taskId: TaskId): void {
    this.#hurryTurn({ taskId, now: this.#context.clock.now() });
  }

  /** Takes a waiting job; null where it no longer waits. */
  public claim(id: JobId): Lease | null {
    const job = this.#claim.get({ id, now: this.#context.clock.now() });
    return job === undefined ? null : { job, fence: job.fence };
  }

  /** @throws {StaleLease} where the lease no longer holds; within a transaction that undoes the whole of it. */
  public complete(lease: Lease): void {
    this.#finishUnder(lease, { state: 'done', runAt: null, error: null });
  }

  /**
   * Says that the job failed: it waits again until `retryAt`, or is over where that is null.
   * @throws {StaleLease} as `complete` does.
   */
  public fail(lease: Lease, error: string, retryAt: number | null): void {
    this.#finishUnder(lease, { state: retryAt === null ? 'failed' : 'ready', runAt: retryAt, error });
  }

  /** Cancels all that waits or runs for a task, and voids its leases; gives how many there were. */
  public cancelFor(taskId: TaskId): number {
    return this.#cancelOfTask({ taskId, now: this.#context.clock.now() });
  }

  /** At boot: what another boot was running waits again, at once. */
  public reclaim(): Job[] {
    return this.#reclaim.all({ now: this.#context.clock.now() });
  }

  #finishUnder(
    lease: Lease,
    outcome: { readonly state: Job['state']; readonly runAt: number | null; readonly error: string | null },
  ): void {
    const changed = this.#finish({
      ...outcome,
      id: lease.job.id,
      fence: lease.fence,
      now: this.#context.clock.now(),
    });
    if (changed === 0) throw new StaleLease(lease);
  }
}
