import { and, eq, sql } from 'drizzle-orm';
import type { EffectId, TaskId, TurnId } from '../../shared/vocabulary/ids.ts';
import type { Query, Statement } from './connection.ts';
import { effects } from './schema/effects.ts';
import type { StoreContext } from './store-context.ts';

export type Effect = typeof effects.$inferSelect;

/** What an effect belongs to: a turn, or a task for what a person has done with it. */
export type EffectScope = TurnId | TaskId;

export type Intention =
  /** Nobody has begun this: carry it out, then `finish` it. */
  | { readonly kind: 'new'; readonly id: EffectId }
  /** It was done; this is what came of it. */
  | { readonly kind: 'done'; readonly result: string }
  /** It did not happen, and why. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** It was begun and its end was not written down: it may have happened. */
  | { readonly kind: 'unknown' };

/** The journal of what cannot be undone: written before and after, so that it is looked up and never guessed. */
export class Effects {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #byKey: Query<Effect>;
  readonly #finish: Statement;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(effects);
    this.#byKey = connection.query((db) =>
      db
        .select()
        .from(effects)
        .where(and(eq(effects.scope, sql.placeholder('scope')), eq(effects.key, sql.placeholder('key')))),
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
  public intend(scope: EffectScope, key: string, description: string): Intention {
    return this.#context.connection.transaction(() => {
      const before = this.look(scope, key);
      if (before !== null) return intentionFrom(before);
      const id = this.#context.newId('effect');
      this.#insert({
        id,
        scope,
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

  public look(scope: EffectScope, key: string): Effect | null {
    return this.#byKey.get({ scope, key }) ?? null;
  }
}

function intentionFrom(effect: Effect): Intention {
  switch (effect.state) {
    case 'done':
      return { kind: 'done', result: effect.result ?? '' };
    case 'failed':
      return { kind: 'failed', reason: effect.result ?? '' };
    case 'intended':
    case 'unknown':
      return { kind: 'unknown' };
  }
}
