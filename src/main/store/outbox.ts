import { and, asc, eq, lte, min, sql } from 'drizzle-orm';
import type { MessageId, OutboxId } from '../../shared/vocabulary/ids.ts';
import type { ChannelAddress } from '../ports/channel.ts';
import type { Query, Statement } from './connection.ts';
import type { Messages } from './messages.ts';
import { outbox } from './schema/messages.ts';
import type { StoreContext } from './store-context.ts';

export type OutboxEntry = typeof outbox.$inferSelect;

/** Messages on their way out. An entry's id is the key by which the other side knows a repeated one. */
export class Outbox {
  readonly #context: StoreContext;
  readonly #messages: Messages;
  readonly #insert;
  readonly #byId: Query<OutboxEntry>;
  readonly #due: Query<OutboxEntry>;
  readonly #nextRunAt: Query<{ runAt: number | null }>;
  readonly #settle: Statement;

  public constructor(context: StoreContext, messages: Messages) {
    const { connection } = context;
    this.#context = context;
    this.#messages = messages;
    this.#insert = connection.insertion(outbox);
    this.#byId = connection.query((db) =>
      db
        .select()
        .from(outbox)
        .where(eq(outbox.id, sql.placeholder('id'))),
    );
    this.#due = connection.query((db) =>
      db
        .select()
        .from(outbox)
        .where(and(eq(outbox.state, 'pending'), lte(outbox.runAt, sql.placeholder('now'))))
        .orderBy(asc(outbox.runAt), asc(outbox.id)),
    );
    this.#nextRunAt = connection.query((db) =>
      db
        .select({ runAt: min(outbox.runAt) })
        .from(outbox)
        .where(eq(outbox.state, 'pending')),
    );
    this.#settle = connection.statement((db) =>
      db
        .update(outbox)
        .set({
          state: sql`${sql.placeholder('state')}`,
          attempt: sql`${outbox.attempt} + 1`,
          runAt: sql`coalesce(${sql.placeholder('runAt')}, ${outbox.runAt})`,
          lastError: sql`${sql.placeholder('error')}`,
          sentAt: sql`${sql.placeholder('sentAt')}`,
        })
        .where(and(eq(outbox.id, sql.placeholder('id')), eq(outbox.state, 'pending'))),
    );
  }

  /** Puts a message on its way to a channel, due at once. */
  public add(messageId: MessageId, channel: ChannelAddress): OutboxId {
    const id = this.#context.newId('outbox');
    this.#insert({
      id,
      messageId,
      channel,
      state: 'pending',
      attempt: 0,
      runAt: this.#context.clock.now(),
      lastError: null,
      sentAt: null,
    });
    return id;
  }

  public byId(id: OutboxId): OutboxEntry | null {
    return this.#byId.get({ id }) ?? null;
  }

  /** What may go out now, the longest waiting first. */
  public due(now: number): OutboxEntry[] {
    return this.#due.all({ now });
  }

  /** When the next entry may go out; null where none waits. */
  public nextRunAt(): number | null {
    return this.#nextRunAt.get()?.runAt ?? null;
  }

  /** The channel has it: the message is delivered. Saying so again changes nothing. */
  public sent(id: OutboxId): void {
    this.#record(id, { state: 'sent', runAt: null, error: null, sentAt: this.#context.clock.now() });
  }

  /** The channel did not take it: it is tried again at `retryAt`, or the message has failed where that is null. */
  public failed(id: OutboxId, error: string, retryAt: number | null): void {
    this.#record(id, { state: retryAt === null ? 'failed' : 'pending', runAt: retryAt, error, sentAt: null });
  }

  #record(
    id: OutboxId,
    outcome: {
      readonly state: OutboxEntry['state'];
      readonly runAt: number | null;
      readonly error: string | null;
      readonly sentAt: number | null;
    },
  ): void {
    this.#context.connection.transaction(() => {
      const entry = this.byId(id);
      if (entry === null) throw new Error(`There is no outbox entry ${id}.`);
      if (this.#settle({ id, ...outcome }) === 0 || outcome.state === 'pending') return;
      this.#messages.setStatus(entry.messageId, outcome.state === 'sent' ? 'delivered' : 'failed');
    });
  }
}
