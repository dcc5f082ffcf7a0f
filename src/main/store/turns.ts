import { and, asc, desc, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import type { AttemptId, TaskId, TurnId } from '../../shared/vocabulary/ids.ts';
import type { Role, TurnOutcome } from '../../shared/vocabulary/words.ts';
import type { Runner } from '../domain/fallback/choice.ts';
import type { LiveTurn } from '../domain/tribunal/task.ts';
import type { Query, Statement } from './connection.ts';
import { attempts, turns } from './schema/turns.ts';
import type { attemptOutcomes } from './schema/turns.ts';
import type { StoreContext } from './store-context.ts';

export type Turn = typeof turns.$inferSelect;
export type Attempt = typeof attempts.$inferSelect;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** Turns of tasks, the live one of each included, and the tries that each took. */
export class Turns {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #rewrite;
  readonly #byNumber: Query<Turn>;
  readonly #live: Query<Turn>;
  readonly #ofTask: Query<Turn>;
  readonly #close: Statement;
  readonly #insertAttempt;
  readonly #endAttempt: Statement;
  readonly #attemptsOf: Query<Attempt>;
  readonly #lastRun: Query<Pick<Attempt, 'engine' | 'account'>>;
  readonly #addWait: Statement;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(turns);
    this.#rewrite = connection.rewriting(turns, 'taskId', 'createdAt');
    this.#byNumber = connection.query((db) =>
      db
        .select()
        .from(turns)
        .where(and(eq(turns.taskId, sql.placeholder('taskId')), eq(turns.number, sql.placeholder('number')))),
    );
    this.#live = connection.query((db) =>
      db
        .select()
        .from(turns)
        .where(and(eq(turns.taskId, sql.placeholder('taskId')), eq(turns.status, 'live'))),
    );
    this.#ofTask = connection.query((db) =>
      db
        .select()
        .from(turns)
        .where(eq(turns.taskId, sql.placeholder('taskId')))
        .orderBy(asc(turns.number)),
    );
    this.#close = connection.statement((db) =>
      db
        .update(turns)
        .set({ status: sql`${sql.placeholder('status')}`, endedAt: sql`${sql.placeholder('now')}` })
        .where(and(eq(turns.id, sql.placeholder('id')), eq(turns.status, 'live'))),
    );
    this.#insertAttempt = connection.insertion(attempts);
    this.#endAttempt = connection.statement((db) =>
      db
        .update(attempts)
        .set({
          outcome: sql`${sql.placeholder('outcome')}`,
          reason: sql`${sql.placeholder('reason')}`,
          endedAt: sql`${sql.placeholder('now')}`,
        })
        .where(and(eq(attempts.id, sql.placeholder('id')), isNull(attempts.endedAt))),
    );
    this.#attemptsOf = connection.query((db) =>
      db
        .select()
        .from(attempts)
        .where(eq(attempts.turnId, sql.placeholder('turnId')))
        .orderBy(asc(attempts.id)),
    );
    this.#lastRun = connection.query((db) =>
      db
        .select({ engine: attempts.engine, account: attempts.account })
        .from(attempts)
        .innerJoin(turns, eq(turns.id, attempts.turnId))
        .where(
          and(
            eq(turns.taskId, sql.placeholder('taskId')),
            eq(turns.role, sql.placeholder('role')),
            isNotNull(attempts.engine),
          ),
        )
        .orderBy(desc(attempts.id))
        .limit(1),
    );
    this.#addWait = connection.statement((db) =>
      db
        .update(attempts)
        .set({ waitedMs: sql`${attempts.waitedMs} + ${sql.placeholder('ms')}` })
        .where(eq(attempts.id, sql.placeholder('id'))),
    );
  }

  /** A task's turn by its number; null where it never was. */
  public byNumber(taskId: TaskId, number: number): Turn | null {
    return this.#byNumber.get({ taskId, number }) ?? null;
  }

  public liveOf(taskId: TaskId): Turn | null {
    return this.#live.get({ taskId }) ?? null;
  }

  public ofTask(taskId: TaskId): Turn[] {
    return this.#ofTask.all({ taskId });
  }

  /** Says how a live turn came to its end; one that is closed already stays as it is. */
  public close(id: TurnId, status: TurnOutcome): void {
    this.#close({ id, status, now: this.#context.clock.now() });
  }

  /** Makes this the task's one live turn, or leaves it without; what was live before has ended. */
  public setLive(taskId: TaskId, turn: LiveTurn | null): void {
    const before = this.liveOf(taskId);
    if (before !== null && before.number !== turn?.number) this.close(before.id, 'ended');
    if (turn === null) return;
    const existing = before?.number === turn.number ? before : this.byNumber(taskId, turn.number);
    if (existing === null) {
      this.#insert({
        id: this.#context.newId('turn'),
        taskId,
        ...columnsFrom(turn),
        createdAt: this.#context.clock.now(),
        endedAt: null,
      });
    } else {
      this.#rewrite({ id: existing.id, ...columnsFrom(turn), endedAt: null });
    }
  }

  /** Writes down that a try of a turn begins, and on what; null where nothing can be told to run. */
  public startAttempt(turnId: TurnId, number: number, nonce: string, runner: Runner | null): AttemptId {
    const id = this.#context.newId('attempt');
    this.#insertAttempt({
      id,
      turnId,
      number,
      nonce,
      bootId: this.#context.bootId,
      startedAt: this.#context.clock.now(),
      endedAt: null,
      outcome: null,
      reason: null,
      engine: runner?.engine ?? null,
      account: runner?.account ?? null,
      waitedMs: 0,
    });
    return id;
  }

  /** Writes down how a try ended; one that has ended already stays as it is. */
  public endAttempt(id: AttemptId, outcome: AttemptOutcome, reason: string | null = null): void {
    this.#endAttempt({ id, outcome, reason, now: this.#context.clock.now() });
  }

  /** What a role of a task ran on the last time; null before its first try. */
  public lastRunOf(taskId: TaskId, role: Role): Runner | null {
    const last = this.#lastRun.get({ taskId, role });
    if (last === undefined || last.engine === null) return null;
    return { engine: last.engine, account: last.account };
  }

  /** A try has waited so long for a person's word: that time is not the agent's. */
  public addWait(id: AttemptId, ms: number): void {
    this.#addWait({ id, ms });
  }

  public attemptsOf(turnId: TurnId): Attempt[] {
    return this.#attemptsOf.all({ turnId });
  }

  /**
   * At boot: ends the tries that died with another boot. They count as having run until their last model call,
   * the last sign of life that was written down. Gives the tries.
   */
  public endLost(): Attempt[] {
    const { connection, bootId } = this.#context;
    return connection.guarded(() =>
      connection.builder
        .update(attempts)
        .set({
          outcome: 'lost',
          reason: 'The host ended while it ran.',
          // Drizzle names columns without their table here, so this says them itself.
          endedAt: sql`coalesce((select max(at) from model_calls where attempt_id = attempts.id), started_at)`,
        })
        .where(and(isNull(attempts.endedAt), ne(attempts.bootId, bootId)))
        .returning()
        .all(),
    );
  }
}

/** The tribunal's view of a turn. */
export function liveTurnFrom(row: Turn): LiveTurn {
  const { number, role, purpose, phase, attempt, ask, session, workspace, messages, wrappingUp } = row;
  return { number, role, purpose, phase, attempt, ask, session, workspace, messages, wrappingUp };
}

function columnsFrom(turn: LiveTurn): Omit<Turn, 'id' | 'taskId' | 'createdAt' | 'endedAt'> {
  return { ...turn, status: 'live' };
}
