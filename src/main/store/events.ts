import { and, asc, eq, gt, max, sql } from 'drizzle-orm';
import type { EventId, RoomId, TaskId, TurnId } from '../../shared/vocabulary/ids.ts';
import type { EventType } from '../../shared/vocabulary/event-types.ts';
import type { Query } from './connection.ts';
import { events } from './schema/events.ts';
import type { StoreContext } from './store-context.ts';

export interface NewEvent {
  readonly type: EventType;
  readonly roomId?: RoomId | null;
  readonly taskId?: TaskId | null;
  readonly turnId?: TurnId | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface StoredEvent {
  /** The event's place in the log; grows, with gaps where a transaction was rolled back. */
  readonly seq: number;
  readonly id: EventId;
  readonly at: number;
  readonly type: string;
  readonly roomId: RoomId | null;
  readonly taskId: TaskId | null;
  readonly turnId: TurnId | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Which part of the log: all of it, one room's or one task's. */
export type EventFilter = { readonly roomId: RoomId } | { readonly taskId: TaskId } | 'all';

/** Most events that one reading gives, so that a long log is read in pages. */
const MAX_PAGE_EVENTS = 1_000;

/** The log of everything that happened. */
export class Events {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #all: Query<StoredEvent>;
  readonly #ofRoom: Query<StoredEvent>;
  readonly #ofTask: Query<StoredEvent>;
  readonly #last: Query<{ seq: number | null }>;
  readonly #listeners = new Set<(event: StoredEvent) => void>();

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(events, 'seq');
    const after = gt(events.seq, sql.placeholder('seq'));
    const limit = sql.placeholder('limit');
    this.#all = connection.query((db) =>
      db.select().from(events).where(after).orderBy(asc(events.seq)).limit(limit),
    );
    this.#ofRoom = connection.query((db) =>
      db
        .select()
        .from(events)
        .where(and(eq(events.roomId, sql.placeholder('roomId')), after))
        .orderBy(asc(events.seq))
        .limit(limit),
    );
    this.#ofTask = connection.query((db) =>
      db
        .select()
        .from(events)
        .where(and(eq(events.taskId, sql.placeholder('taskId')), after))
        .orderBy(asc(events.seq))
        .limit(limit),
    );
    this.#last = connection.query((db) => db.select({ seq: max(events.seq) }).from(events));
  }

  /** Writes an event down; listeners hear of it once it is durable. */
  public append(event: NewEvent): StoredEvent {
    const row = {
      id: this.#context.newId('event'),
      at: this.#context.clock.now(),
      type: event.type,
      roomId: event.roomId ?? null,
      taskId: event.taskId ?? null,
      turnId: event.turnId ?? null,
      data: event.data,
    };
    const stored: StoredEvent = { seq: this.#insert(row), ...row };
    this.#context.connection.afterCommit(() => {
      this.#tell(stored);
    });
    return stored;
  }

  /** The events after `seq` in their order, at most `limit`; 0 starts at the beginning. */
  public since(seq: number, filter: EventFilter = 'all', limit = MAX_PAGE_EVENTS): StoredEvent[] {
    if (filter === 'all') return this.#all.all({ seq, limit });
    return 'roomId' in filter
      ? this.#ofRoom.all({ seq, limit, roomId: filter.roomId })
      : this.#ofTask.all({ seq, limit, taskId: filter.taskId });
  }

  /** The place of the newest event; 0 in an empty log. */
  public lastSeq(): number {
    return this.#last.get()?.seq ?? 0;
  }

  /** Hears every event after its commit, in order. The returned function ends it. */
  public onAppended(listener: (event: StoredEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** The event is durable whatever a listener does: what one throws is a bug, raised apart from the writer. */
  #tell(event: StoredEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (thrown) {
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }
}
