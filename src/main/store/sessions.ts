import { and, asc, desc, eq, max, sql } from 'drizzle-orm';
import type { SessionId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { EngineName, Role } from '../../shared/vocabulary/words.ts';
import type { Query } from './connection.ts';
import { sessionEntries, sessions } from './schema/turns.ts';
import type { StoreContext } from './store-context.ts';

export type Session = Pick<typeof sessions.$inferSelect, 'id' | 'engine'>;

/** Conversations of engines, one current per role of a task. */
export class Sessions {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #insertEntry;
  readonly #current: Query<Session>;
  readonly #entries: Query<{ entry: unknown }>;
  readonly #last: Query<{ position: number | null }>;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(sessions);
    this.#insertEntry = connection.insertion(sessionEntries);
    this.#current = connection.query((db) =>
      db
        .select({ id: sessions.id, engine: sessions.engine })
        .from(sessions)
        .where(
          and(eq(sessions.taskId, sql.placeholder('taskId')), eq(sessions.role, sql.placeholder('role'))),
        )
        .orderBy(desc(sessions.id))
        .limit(1),
    );
    this.#entries = connection.query((db) =>
      db
        .select({ entry: sessionEntries.entry })
        .from(sessionEntries)
        .where(eq(sessionEntries.sessionId, sql.placeholder('id')))
        .orderBy(asc(sessionEntries.position)),
    );
    this.#last = connection.query((db) =>
      db
        .select({ position: max(sessionEntries.position) })
        .from(sessionEntries)
        .where(eq(sessionEntries.sessionId, sql.placeholder('id'))),
    );
  }

  /** The conversation that the role is in; null before its first. */
  public current(taskId: TaskId, role: Role): Session | null {
    return this.#current.get({ taskId, role }) ?? null;
  }

  /** Begins a new conversation, which is the current one from now on; the old one stays to be read. */
  public fresh(taskId: TaskId, role: Role, engine: EngineName | null): SessionId {
    const id = this.#context.newId('session');
    this.#insert({ id, taskId, role, engine, startedAt: this.#context.clock.now() });
    return id;
  }

  /** The conversation so far, as its engine wrote it. */
  public entries(id: SessionId): unknown[] {
    return this.#entries.all({ id }).map((row) => row.entry);
  }

  /** Adds to the conversation: all of the entries, or none. They must be values that JSON can hold. */
  public append(id: SessionId, entries: readonly unknown[]): void {
    this.#context.connection.transaction(() => {
      const first = (this.#last.get({ id })?.position ?? -1) + 1;
      entries.forEach((entry, index) => {
        this.#insertEntry({ sessionId: id, position: first + index, entry });
      });
    });
  }
}
