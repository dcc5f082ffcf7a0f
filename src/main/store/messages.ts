import { asc, eq, sql } from 'drizzle-orm';
import type { MessageId, RoomId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { MessageRole, MessageStatus, MessageType } from '../../shared/vocabulary/words.ts';
import type { ChannelAddress } from '../ports/channel.ts';
import type { Query, Statement } from './connection.ts';
import { inbox, messages } from './schema/messages.ts';
import type { StoreContext } from './store-context.ts';

export type Message = typeof messages.$inferSelect;

export interface NewMessage {
  readonly channel: ChannelAddress;
  readonly roomId: RoomId | null;
  readonly taskId: TaskId | null;
  readonly agentId: string | null;
  readonly sourceAgentId: string | null;
  readonly type: MessageType;
  readonly role: MessageRole;
  readonly status: MessageStatus;
  readonly payload: { readonly text: string; readonly [detail: string]: unknown };
}

/** What people and agents said, and the inbox that lets nothing from outside in twice. */
export class Messages {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #insertReceived;
  readonly #byId: Query<Message>;
  readonly #bySource: Query<{ messageId: MessageId }>;
  readonly #ofTask: Query<Message>;
  readonly #setStatus: Statement;
  readonly #setTask: Statement;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(messages);
    this.#insertReceived = connection.insertion(inbox);
    this.#byId = connection.query((db) =>
      db
        .select()
        .from(messages)
        .where(eq(messages.id, sql.placeholder('id'))),
    );
    this.#bySource = connection.query((db) =>
      db
        .select({ messageId: inbox.messageId })
        .from(inbox)
        .where(eq(inbox.sourceId, sql.placeholder('sourceId'))),
    );
    this.#ofTask = connection.query((db) =>
      db
        .select()
        .from(messages)
        .where(eq(messages.taskId, sql.placeholder('taskId')))
        .orderBy(asc(messages.id)),
    );
    this.#setStatus = connection.statement((db) =>
      db
        .update(messages)
        .set({ status: sql`${sql.placeholder('status')}` })
        .where(eq(messages.id, sql.placeholder('id'))),
    );
    this.#setTask = connection.statement((db) =>
      db
        .update(messages)
        .set({ taskId: sql`${sql.placeholder('taskId')}` })
        .where(eq(messages.id, sql.placeholder('id'))),
    );
  }

  /** Writes a message down that comes from within. */
  public add(message: NewMessage): Message {
    const row = { id: this.#context.newId('message'), timestamp: this.#context.clock.now(), ...message };
    this.#insert(row);
    return row;
  }

  /**
   * Writes a message down that came in from outside, unless one with this source id has come before: then it
   * gives that one. A source id says its channel too, as in `discord:1234`.
   */
  public accept(
    sourceId: string,
    message: NewMessage,
  ):
    { readonly kind: 'new'; readonly message: Message } | { readonly kind: 'known'; readonly id: MessageId } {
    return this.#context.connection.transaction(() => {
      const known = this.#bySource.get({ sourceId });
      if (known !== undefined) return { kind: 'known', id: known.messageId };
      const added = this.add(message);
      this.#insertReceived({ sourceId, messageId: added.id, receivedAt: added.timestamp });
      return { kind: 'new', message: added };
    });
  }

  public byId(id: MessageId): Message | null {
    return this.#byId.get({ id }) ?? null;
  }

  public ofTask(taskId: TaskId): Message[] {
    return this.#ofTask.all({ taskId });
  }

  public setStatus(id: MessageId, status: MessageStatus): void {
    this.#setStatus({ id, status });
  }

  /** Says which task a message belongs to. */
  public assign(id: MessageId, taskId: TaskId): void {
    this.#setTask({ id, taskId });
  }
}
