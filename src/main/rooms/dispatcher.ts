import { messageOf } from '../../shared/kernel/result.ts';
import type { RoomId } from '../../shared/vocabulary/ids.ts';
import { nextToStart } from '../domain/schedule/slots.ts';
import { MAX_RETRIES, retryDelayMs } from '../domain/schedule/retry.ts';
import type { Job, Lease } from '../store/jobs.ts';
import { StaleLease } from '../store/jobs.ts';
import { clearPlace } from './clear-place.ts';
import { workOf } from './jobs.ts';
import type { Work } from './jobs.ts';
import { keepContent } from './keep-content.ts';
import type { Parts } from './parts.ts';
import { runTurn } from './turn/run.ts';
import { wakeWaiting } from './wake.ts';

/**
 * Starts what is due: one thing at a time in a room, a bounded number of turns over all, fair between rooms, one
 * slot kept for a person. Nothing polls: it looks when something was committed or ended, and when the next job's
 * time has come.
 */
export class Dispatcher {
  readonly #parts: Parts;
  readonly #turnsAtOnce: number;
  readonly #stopping = new AbortController();
  readonly #running = new Map<
    string,
    { readonly turn: boolean; readonly forPerson: boolean; readonly done: Promise<void> }
  >();
  readonly #servedAt = new Map<RoomId, number>();
  #served = 0;
  #cancelTimer: () => void = () => undefined;
  #looking = false;
  readonly #stopListening: () => void;

  public constructor(parts: Parts, turnsAtOnce: number) {
    this.#parts = parts;
    this.#turnsAtOnce = turnsAtOnce;
    this.#stopListening = parts.store.events.onAppended(({ type, roomId }) => {
      const room = type === 'room.updated' && roomId !== null ? parts.store.rooms.byId(roomId) : null;
      if (room !== null) wakeWaiting(parts, room);
      if (room !== null || type === 'turn.due' || type === 'task.completed') this.look();
    });
  }

  /** Begins its work, on settings that may not be those of the host before. */
  public begin(): void {
    for (const room of this.#parts.store.rooms.list()) wakeWaiting(this.#parts, room);
    this.look();
  }

  public get running(): number {
    return [...this.#running.values()].filter((work) => work.turn).length;
  }

  /** Starts all that may start now. Called again while it looks, it looks once more. */
  public look(): void {
    if (this.#looking || this.#stopping.signal.aborted) return;
    this.#looking = true;
    // After the current call stack, so that several commits in a row are looked at once.
    queueMicrotask(() => {
      this.#looking = false;
      if (this.#stopping.signal.aborted) return;
      this.#startDue();
      this.#wakeForNext();
    });
  }

  /** Ends the running turns as a crash would, only cleanly: the next host goes on from what is written down. */
  public async stop(): Promise<void> {
    this.#stopping.abort();
    this.#stopListening();
    this.#cancelTimer();
    await Promise.all([...this.#running.values()].map((work) => work.done));
  }

  #startDue(): void {
    for (;;) {
      const due = this.#parts.store.jobs.due(this.#parts.clock.now());
      const job = this.#quiet(due, 'keep_content') ?? this.#next(due) ?? this.#quiet(due, 'clear_place');
      if (job === null) return;
      const lease = this.#parts.steps.now('job.claimed', () => this.#parts.store.jobs.claim(job.id));
      if (lease !== null) this.#start(lease);
    }
  }

  /** Work that is short and nobody's turn only needs its room to be quiet. Clearing waits for everything else. */
  #quiet(due: readonly Job[], kind: Work['kind']): Job | null {
    return due.find((job) => job.kind === kind && !this.#isBusy(job)) ?? null;
  }

  #isBusy(job: Job): boolean {
    return job.roomId === null || this.#running.has(job.roomId) || this.#running.has(laneOf(job, job.roomId));
  }

  #next(due: readonly Job[]): Job | null {
    const waiting = due.flatMap((job) =>
      job.roomId === null || job.kind !== 'turn'
        ? []
        : [{ jobId: job.id, roomId: job.roomId, forPerson: job.priority > 0, since: job.runAt }],
    );
    const chosen = nextToStart(waiting, {
      total: this.#turnsAtOnce,
      busyRooms: new Set(this.#running.keys()),
      running: this.running,
      runningForPersons: [...this.#running.values()].filter((work) => work.turn && work.forPerson).length,
      servedAt: this.#servedAt,
    });
    return due.find((job) => job.id === chosen?.jobId) ?? null;
  }

  #start(lease: Lease): void {
    const { roomId } = lease.job;
    if (roomId === null) throw new Error(`Job ${lease.job.id} belongs to no room.`);
    const work = workOf(lease.job);
    this.#served += 1;
    this.#servedAt.set(roomId, this.#served);
    const lane = laneOf(lease.job, roomId);
    const done = this.#carryOut(work, lease)
      .catch((thrown: unknown) => {
        this.#recover(lease, thrown);
      })
      .finally(() => {
        this.#running.delete(lane);
        this.look();
      });
    this.#running.set(lane, { turn: work.kind === 'turn', forPerson: lease.job.priority > 0, done });
  }

  #carryOut(work: Work, lease: Lease): Promise<void> {
    switch (work.kind) {
      case 'turn':
        return runTurn(this.#parts, lease, work.number, this.#stopping.signal);
      case 'keep_content':
        return keepContent(this.#parts, lease);
      case 'clear_place':
        return clearPlace(this.#parts, lease);
    }
  }

  /** A bug, or a database that cannot be written: the work is tried again, and in the end a person is asked. */
  #recover(lease: Lease, thrown: unknown): void {
    if (thrown instanceof StaleLease) return;
    const { store, clock, proceedings } = this.#parts;
    const { job } = lease;
    const reason = messageOf(thrown);
    const retry = job.attempt <= MAX_RETRIES;
    store.transaction(() => {
      store.events.append({
        type: 'job.failed',
        roomId: job.roomId,
        taskId: job.taskId,
        data: { kind: job.kind, reason, retry },
      });
      store.jobs.fail(lease, reason, retry ? clock.now() + retryDelayMs(job.attempt - 1) : null);
      const task = job.taskId === null ? null : store.tasks.load(job.taskId);
      if (retry || task?.turn?.phase !== 'running') return;
      proceedings.feed(task.id, {
        type: 'turn_failed',
        turn: task.turn.number,
        attempt: task.turn.attempt,
        forGood: true,
        cut: false,
        reason: `An error in Tribune itself: ${reason}`,
        retryAfterMs: null,
        content: null,
      });
    });
  }

  #wakeForNext(): void {
    this.#cancelTimer();
    const now = this.#parts.clock.now();
    const next = this.#parts.store.jobs.nextRunAt();
    if (next !== null && next > now)
      this.#cancelTimer = this.#parts.clock.after(next - now, () => {
        this.look();
      });
  }
}

/** What runs one after another: all that a room does, and beside it the clearing of what its ended tasks have left. */
function laneOf(job: Job, roomId: RoomId): string {
  return job.kind === 'clear_place' ? `${roomId} clearing` : roomId;
}
