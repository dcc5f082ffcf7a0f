import { and, asc, eq, like, sql } from 'drizzle-orm';
import type { EffectId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { Query, Statement } from './connection.ts';
import { effects } from './schema/effects.ts';
import type { StoreContext } from './store-context.ts';

export type Effect = typeof effects.$inferSelect;

export type Intention = { readonly id: EffectId } &
  /** Nobody has begun this: carry it out, then `finish` it. */
  (
    | { readonly kind: 'new' }
    /** It was done; this is what came of it. */
    | { readonly kind: 'done'; readonly result: string }
    /** It did not happen, and why. */
    | { readonly kind: 'failed'; readonly reason: string }
    /** It was begun and its end was not written down: it may have happened. */
    | { readonly kind: 'unknown' }
  );

/** How the keys of applies begin. Those of an agent's tools are the model's own ids. */
export const APPLY_KEY_START = 'apply:';

/** The journal of what cannot be undone: written before and after, so that it is looked up and never guessed. */
export class Effects {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #byKey: Query<Effect>;
  readonly #unknownApplies: Query<Effect>;
  readonly #endLost: Statement;
  readonly #finish: Statement;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(effects);
    this.#byKey = connection.query((db) =>
      db
        .select()
        .from(effects)
        .where(and(eq(effects.taskId, sql.placeholder('taskId')), eq(effects.key, sql.placeholder('key')))),
    );
    this.#endLost = connection.statement((db) =>
      db
        .update(effects)
        .set({ state: 'unknown', finishedAt: sql`${sql.placeholder('now')}` })
        .where(eq(effects.state, 'intended')),
    );
    this.#unknownApplies = connection.query((db) =>
      db
        .select()
        .from(effects)
        .where(and(eq(effects.state, 'unknown'), like(effects.key, `${APPLY_KEY_START}%`)))
        .orderBy(asc(effects.id)),
    );
    this.#finish = connection.statement((db) =>
      db
        .update(effects)
        .set({
          state: sql`${sql.placeholder('state')}`,
          result: sql`${sql.placeholder('result')}`,
          finishedAt: sql`${sql.placeholder('now')}`,
        })
        .where(eq(effects.id, sql.placeholder('id'))),
    );
  }

  /** Writes down that this is about to be done, or says what is known of it from before. */
  public intend(taskId: TaskId, key: string, description: string): Intention {
    return this.#context.connection.transaction(() => {
      const before = this.look(taskId, key);
      if (before !== null) return intentionFrom(before);
      const id = this.#context.newId('effect');
      this.#insert({
        id,
        taskId,
        key,
        description,
        state: 'intended',
        result: null,
        intendedAt: this.#context.clock.now(),
        finishedAt: null,
      });
      return { kind: 'new', id };
    });
  }

  /** Writes down what came of it: a result, why it failed, or that nobody can tell. */
  public finish(id: EffectId, state: 'done' | 'failed' | 'unknown', result: string | null): void {
    const changed = this.#finish({ id, state, result, now: this.#context.clock.now() });
    if (changed === 0) throw new Error(`There is no effect ${id}.`);
  }

  /** At boot: of what was begun and not ended nobody can tell any more whether it happened. Gives how many there were. */
  public endLost(): number {
    return this.#endLost({ now: this.#context.clock.now() });
  }

  /** Applies that may have happened, the oldest first. */
  public unknownApplies(): Effect[] {
    return this.#unknownApplies.all();
  }

  public look(taskId: TaskId, key: string): Effect | null {
    return this.#byKey.get({ taskId, key }) ?? null;
  }
}

function intentionFrom({ id, state, result }: Effect): Intention {
  switch (state) {
    case 'done':
      return { id, kind: 'done', result: result ?? '' };
    case 'failed':
      return { id, kind: 'failed', reason: result ?? '' };
    case 'intended':
    case 'unknown':
      return { id, kind: 'unknown' };
  }
}
