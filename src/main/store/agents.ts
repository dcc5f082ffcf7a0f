import { asc, eq, sql } from 'drizzle-orm';
import type { AgentId } from '../../shared/vocabulary/ids.ts';
import type { Query, Statement } from './connection.ts';
import { agents } from './schema/rooms.ts';
import type { StoreContext } from './store-context.ts';

export type Agent = typeof agents.$inferSelect;

export class Agents {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #all: Query<Agent>;
  readonly #byName: Query<Agent>;
  readonly #setStatus: Statement;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(agents);
    this.#all = connection.query((db) => db.select().from(agents).orderBy(asc(agents.name)));
    this.#byName = connection.query((db) =>
      db
        .select()
        .from(agents)
        .where(eq(agents.name, sql.placeholder('name'))),
    );
    this.#setStatus = connection.statement((db) =>
      db
        .update(agents)
        .set({ status: sql`${sql.placeholder('status')}` })
        .where(eq(agents.id, sql.placeholder('id'))),
    );
  }

  /** Registers an agent, offline at first. Its name and its channel must be its own. */
  public add(agent: Pick<Agent, 'name' | 'type' | 'config' | 'channelId'>): Agent {
    const row: Agent = {
      id: this.#context.newId('agent'),
      ...agent,
      status: 'offline',
      createdAt: this.#context.clock.now(),
    };
    this.#insert(row);
    return row;
  }

  public byName(name: string): Agent | null {
    return this.#byName.get({ name }) ?? null;
  }

  public list(): Agent[] {
    return this.#all.all();
  }

  public setStatus(id: AgentId, status: Agent['status']): void {
    this.#setStatus({ id, status });
  }
}
