import { and, eq, sql } from 'drizzle-orm';
import type { EscalationId, TaskId } from '../../shared/vocabulary/ids.ts';
import { permissionAnswers } from '../../shared/vocabulary/words.ts';
import type { Back, Task } from '../domain/tribunal/task.ts';
import type { Query, Statement } from './connection.ts';
import { shownHashOf } from './escalations.ts';
import type { Escalation } from './escalations.ts';
import { escalations } from './schema/tasks.ts';
import type { StoreContext } from './store-context.ts';

/**
 * What running turns need a person's word for: escalations that the tribunal knows nothing of. They are listed and
 * answered as all are (`Escalations`), and are over when the turn that asked is.
 */
export class Permissions {
  readonly #context: StoreContext;
  readonly #insert;
  readonly #open: Query<Escalation>;
  readonly #openOf: Query<Escalation>;
  readonly #withdraw: Statement;

  public constructor(context: StoreContext) {
    const { connection } = context;
    this.#context = context;
    this.#insert = connection.insertion(escalations);
    // Said as the partial index says it, so that SQLite uses that.
    const isOpen = sql`${escalations.state} = 'open' and ${escalations.kind} = 'permission'`;
    this.#open = connection.query((db) => db.select().from(escalations).where(isOpen));
    this.#openOf = connection.query((db) =>
      db
        .select()
        .from(escalations)
        .where(and(eq(escalations.taskId, sql.placeholder('taskId')), isOpen)),
    );
    this.#withdraw = connection.statement((db) =>
      db
        .update(escalations)
        .set({ state: 'withdrawn', closedAt: sql`${sql.placeholder('now')}` })
        .where(and(eq(escalations.id, sql.placeholder('id')), eq(escalations.state, 'open'))),
    );
  }

  public openOf(taskId: TaskId): Escalation | null {
    return this.#openOf.get({ taskId }) ?? null;
  }

  /** Writes down what a task's running turn asks. A task has one open permission at a time; a second one throws. */
  public ask(task: Task, text: string): EscalationId {
    const id = this.#context.newId('escalation');
    const back = runningTurnOf(task);
    const asked = {
      number: back.turn.number,
      kind: 'permission',
      text,
      answers: permissionAnswers,
      snapshot: null,
      limit: null,
    } as const;
    this.#insert({
      id,
      taskId: task.id,
      ...asked,
      back,
      // Two wishes may read alike and are two questions.
      shownHash: shownHashOf(task.id, { ...asked, text: `${id}\n${text}` }),
      state: 'open',
      answer: null,
      answerText: null,
      answeredBy: null,
      createdAt: this.#context.clock.now(),
      closedAt: null,
    });
    return id;
  }

  /** Takes a question back; false where it was not open any more. */
  public withdraw(id: EscalationId): boolean {
    return this.#withdraw({ id, now: this.#context.clock.now() }) > 0;
  }

  /** At boot: takes back what turns asked that died with another host. Gives what that was. */
  public withdrawAll(): Escalation[] {
    return this.#context.connection.transaction(() => {
      const open = this.#open.all();
      for (const { id } of open) this.withdraw(id);
      return open;
    });
  }
}

function runningTurnOf({ id, state, turn }: Task): Back {
  if (turn === null || state === 'awaiting_person' || state === 'completed') {
    throw new Error(`${id} runs no turn that could ask for a permission.`);
  }
  return { state, turn };
}
