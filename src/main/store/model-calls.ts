import { eq, sql } from 'drizzle-orm';
import type { AttemptId, CallId, TaskId, TurnId } from '../../shared/vocabulary/ids.ts';
import type { Spending } from '../domain/tribunal/task.ts';
import type { ModelCall } from '../ports/engine.ts';
import type { Query } from './connection.ts';
import { attempts, modelCalls, turns } from './schema/turns.ts';
import type { StoreContext } from './store-context.ts';

const MS_PER_MINUTE = 60_000;

/** What was used, and how many of the calls have no known price: the sum of the money leaves those out. */
export interface Used extends Spending {
  readonly unpricedCalls: number;
}

/** What turns have used: money and tokens of model calls, time of attempts. */
export class ModelCalls {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #usedByTask: Query<CallSums>;
  readonly #usedByTurn: Query<CallSums>;
  readonly #ranForTask: Query<{ ms: number }>;
  readonly #ranForTurn: Query<{ ms: number }>;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(modelCalls);
    this.#usedByTask = connection.query((db) =>
      db
        .select(callSums)
        .from(modelCalls)
        .innerJoin(attempts, eq(attempts.id, modelCalls.attemptId))
        .innerJoin(turns, eq(turns.id, attempts.turnId))
        .where(eq(turns.taskId, sql.placeholder('taskId'))),
    );
    this.#usedByTurn = connection.query((db) =>
      db
        .select(callSums)
        .from(modelCalls)
        .innerJoin(attempts, eq(attempts.id, modelCalls.attemptId))
        .where(eq(attempts.turnId, sql.placeholder('turnId'))),
    );
    this.#ranForTask = connection.query((db) =>
      db
        .select({ ms: ranMs })
        .from(attempts)
        .innerJoin(turns, eq(turns.id, attempts.turnId))
        .where(eq(turns.taskId, sql.placeholder('taskId'))),
    );
    this.#ranForTurn = connection.query((db) =>
      db
        .select({ ms: ranMs })
        .from(attempts)
        .where(eq(attempts.turnId, sql.placeholder('turnId'))),
    );
  }

  public record(attemptId: AttemptId, call: ModelCall): CallId {
    const id = this.#context.newId('call');
    this.#insert({ id, attemptId, ...call, at: this.#context.clock.now() });
    return id;
  }

  /** What a task, or one turn of it, has used by now; an attempt that still runs counts until now. */
  public sum(whose: { readonly taskId: TaskId } | { readonly turnId: TurnId }): Used {
    const now = this.#context.clock.now();
    const [used, ran] =
      'taskId' in whose
        ? [this.#usedByTask.get(whose), this.#ranForTask.get({ ...whose, now })]
        : [this.#usedByTurn.get(whose), this.#ranForTurn.get({ ...whose, now })];
    return {
      usd: used?.usd ?? 0,
      tokens: used?.tokens ?? 0,
      minutes: (ran?.ms ?? 0) / MS_PER_MINUTE,
      unpricedCalls: used?.unpricedCalls ?? 0,
    };
  }
}

interface CallSums {
  usd: number;
  tokens: number;
  unpricedCalls: number;
}

const callSums = {
  usd: sql<number>`coalesce(sum(${modelCalls.usd}), 0)`,
  tokens: sql<number>`coalesce(sum(${modelCalls.inputTokens} + ${modelCalls.outputTokens} + ${modelCalls.cacheReadTokens} + ${modelCalls.cacheWriteTokens}), 0)`,
  unpricedCalls: sql<number>`count(*) filter (where ${modelCalls.usd} is null)`,
};

/** What a try waited for a person is not its time; a clock that was set back gives none. */
const ranMs = sql<number>`coalesce(sum(max(0, coalesce(${attempts.endedAt}, ${sql.placeholder('now')}) - ${attempts.startedAt} - ${attempts.waitedMs})), 0)`;
