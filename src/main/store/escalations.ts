import { createHash } from 'node:crypto';
import { and, asc, eq, sql } from 'drizzle-orm';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Failure, Result } from '../../shared/kernel/result.ts';
import type { EscalationId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { Answer } from '../../shared/vocabulary/words.ts';
import type { Question, QuestionKind } from '../domain/tribunal/task.ts';
import type { Query, Statement } from './connection.ts';
import { escalations } from './schema/tasks.ts';
import type { StoreContext } from './store-context.ts';

export type Escalation = typeof escalations.$inferSelect;

/** Why an answer does not count. */
export interface AnswerRefused extends Failure {
  readonly tag: 'unknown_escalation' | 'already_closed' | 'shown_differs' | 'answer_not_offered';
}

/** Questions that wait for a person, each a row that all surfaces answer alike, once. */
export class Escalations {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #rewrite;
  readonly #byId: Query<Escalation>;
  readonly #openOf: Query<Escalation>;
  readonly #byNumber: Query<Escalation>;
  readonly #open: Query<Escalation>;
  readonly #withdraw: Statement;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(escalations);
    this.#rewrite = connection.rewriting(escalations, 'createdAt');
    this.#byId = connection.query((db) =>
      db
        .select()
        .from(escalations)
        .where(eq(escalations.id, sql.placeholder('id'))),
    );
    const isOfTask = eq(escalations.taskId, sql.placeholder('taskId'));
    const isQuestion = sql`${escalations.kind} <> 'permission'`;
    this.#openOf = connection.query((db) =>
      db
        .select()
        .from(escalations)
        // Said as the partial index says it, so that SQLite uses that.
        .where(and(isOfTask, sql`${escalations.state} = 'open'`, isQuestion)),
    );
    this.#byNumber = connection.query((db) =>
      db
        .select()
        .from(escalations)
        .where(and(isOfTask, eq(escalations.number, sql.placeholder('number')), isQuestion)),
    );
    this.#open = connection.query((db) =>
      db
        .select()
        .from(escalations)
        .where(eq(escalations.state, 'open'))
        .orderBy(asc(escalations.createdAt), asc(escalations.id)),
    );
    this.#withdraw = connection.statement((db) =>
      db
        .update(escalations)
        .set({ state: 'withdrawn', closedAt: sql`${sql.placeholder('now')}` })
        .where(and(eq(escalations.id, sql.placeholder('id')), eq(escalations.state, 'open'))),
    );
  }

  public byId(id: EscalationId): Escalation | null {
    return this.#byId.get({ id }) ?? null;
  }

  /** A task's escalation by its question's number. */
  public byNumber(taskId: TaskId, number: number): Escalation | null {
    return this.#byNumber.get({ taskId, number }) ?? null;
  }

  /** All that wait for a person, the oldest first; permissions too. */
  public open(): Escalation[] {
    return this.#open.all();
  }

  /** The tribunal's open question. */
  public openOf(taskId: TaskId): Escalation | null {
    return this.#openOf.get({ taskId }) ?? null;
  }

  /** Makes this the task's one open question, or leaves it without; what was open and not answered is withdrawn. */
  public setOpen(taskId: TaskId, question: Question | null): void {
    const before = this.openOf(taskId);
    if (before !== null && before.number !== question?.number) {
      this.#withdraw({ id: before.id, now: this.#context.clock.now() });
    }
    if (question === null) return;
    const row = {
      taskId,
      ...question,
      shownHash: shownHashOf(taskId, question),
      state: 'open',
      answer: null,
      answerText: null,
      answeredBy: null,
      closedAt: null,
    } as const;
    const existing = before?.number === question.number ? before : this.byNumber(taskId, question.number);
    if (existing === null) {
      this.#insert({ id: this.#context.newId('escalation'), ...row, createdAt: this.#context.clock.now() });
    } else {
      this.#rewrite({ id: existing.id, ...row });
    }
  }

  /**
   * Records a person's answer, the first one only. `shownHash` is that of what the person saw; where a surface
   * shows the question as it asks, it may leave it out.
   */
  public answer(
    id: EscalationId,
    given: {
      readonly answer: Answer;
      readonly text: string;
      readonly answeredBy: string;
      readonly shownHash?: string;
    },
  ): Result<Escalation, AnswerRefused> {
    const { connection, clock } = this.#context;
    return connection.transaction(() => {
      const escalation = this.byId(id);
      if (escalation === null) return err(unknownEscalation(id));
      const refusal = refusalOf(escalation, given.answer, given.shownHash);
      if (refusal !== null) return err(refusal);
      const answered = {
        state: 'answered',
        answer: given.answer,
        answerText: given.text,
        answeredBy: given.answeredBy,
        closedAt: clock.now(),
      } as const;
      const closed = { ...escalation, ...answered };
      this.#rewrite(closed);
      return ok(closed);
    });
  }
}

/** The tribunal's view of an escalation. */
export function questionFrom(row: Escalation): Question {
  const { number, kind, text, answers, snapshot, limit, back } = row;
  if (kind === 'permission') throw new Error(`${row.id} is a permission, and no question of the tribunal.`);
  return { number, kind, text, answers, snapshot, limit, back };
}

/** SHA-256, in hexadecimal, of all that a person is shown and decides upon. */
export function shownHashOf(
  taskId: TaskId,
  question: Omit<Question, 'back' | 'kind'> & { readonly kind: QuestionKind | 'permission' },
): string {
  const { number, kind, text, answers, snapshot, limit } = question;
  return createHash('sha256')
    .update(JSON.stringify([taskId, number, kind, text, answers, snapshot, limit]))
    .digest('hex');
}

/** No escalation has this id, or it is no id at all. */
export function unknownEscalation(id: string): AnswerRefused {
  return {
    tag: 'unknown_escalation',
    message: `There is no escalation "${id}".`,
    next: 'List the open ones with `tribune escalations`.',
  };
}

function refusalOf(
  escalation: Escalation,
  answer: Answer,
  shownHash: string | undefined,
): AnswerRefused | null {
  if (escalation.state !== 'open') {
    const how =
      escalation.state === 'answered'
        ? `was answered "${escalation.answer ?? ''}" by ${escalation.answeredBy ?? 'someone'}`
        : 'was withdrawn';
    return {
      tag: 'already_closed',
      message: `The escalation ${escalation.id} ${how}.`,
      next: 'Nothing needs to be done; look at the task for what came of it.',
    };
  }
  if (shownHash !== undefined && shownHash !== escalation.shownHash) {
    return {
      tag: 'shown_differs',
      message: `The escalation ${escalation.id} has changed since it was shown.`,
      next: 'Look at it again, then answer.',
    };
  }
  if (!escalation.answers.includes(answer)) {
    return {
      tag: 'answer_not_offered',
      message: `The escalation ${escalation.id} does not take the answer "${answer}".`,
      next: `Answer with one of: ${escalation.answers.join(', ')}.`,
    };
  }
  return null;
}
