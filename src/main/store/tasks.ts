import { and, asc, desc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { RoomId, SnapshotId, TaskId } from '../../shared/vocabulary/ids.ts';
import { doneEndings } from '../../shared/vocabulary/words.ts';
import { finishedContent } from '../domain/tribunal/finished.ts';
import type { Criterion, Finding, Task } from '../domain/tribunal/task.ts';
import type { Query } from './connection.ts';
import type { Escalations } from './escalations.ts';
import type { ModelCalls } from './model-calls.ts';
import { criteria, findings, tasks } from './schema/tasks.ts';
import type { StoreContext } from './store-context.ts';
import { columnsFrom, taskFrom } from './task-rows.ts';
import type { CriterionRow, FindingRow, TaskRow } from './task-rows.ts';
import type { Turns } from './turns.ts';

/** What the host keeps about a task beside the tribunal's state. */
export interface TaskFacts {
  readonly title: string;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** When its content was brought into the person's directory. */
  readonly appliedAt: number | null;
  /** The finished and not yet applied task whose content it started from. */
  readonly ancestorId: TaskId | null;
  /** The person's directory as it stood when the chain of tasks began. */
  readonly personBase: SnapshotId | null;
}

/** A finished task whose content the person does not have yet. */
export interface Unapplied {
  readonly taskId: TaskId;
  readonly snapshot: SnapshotId;
  readonly personBase: SnapshotId | null;
}

/** The tribunal's tasks, each spread over the tables that hold its parts. */
export class Tasks {
  readonly #context: StoreContext;
  readonly #parts: {
    readonly turns: Turns;
    readonly escalations: Escalations;
    readonly modelCalls: ModelCalls;
  };
  readonly #insert;
  readonly #rewrite;
  readonly #insertCriterion;
  readonly #insertFinding;
  readonly #byId: Query<TaskRow>;
  readonly #criteriaOf: Query<CriterionRow>;
  readonly #findingsOf: Query<FindingRow>;
  readonly #deleteCriteria;
  readonly #deleteFindings;
  readonly #openOf: Query<{ id: TaskId }>;
  readonly #lastUnapplied: Query<TaskRow>;

  public constructor(
    context: StoreContext,
    parts: { readonly turns: Turns; readonly escalations: Escalations; readonly modelCalls: ModelCalls },
  ) {
    const { connection } = context;
    this.#context = context;
    this.#parts = parts;
    this.#insert = connection.insertion(tasks);
    this.#rewrite = connection.rewriting(
      tasks,
      'title',
      'ancestorId',
      'personBase',
      'createdAt',
      'appliedAt',
    );
    this.#insertCriterion = connection.insertion(criteria);
    this.#insertFinding = connection.insertion(findings);
    const taskId = sql.placeholder('taskId');
    this.#byId = connection.query((db) => db.select().from(tasks).where(eq(tasks.id, taskId)));
    this.#criteriaOf = connection.query((db) =>
      db.select().from(criteria).where(eq(criteria.taskId, taskId)).orderBy(asc(criteria.position)),
    );
    this.#findingsOf = connection.query((db) =>
      db.select().from(findings).where(eq(findings.taskId, taskId)).orderBy(asc(findings.position)),
    );
    this.#deleteCriteria = connection.statement((db) =>
      db.delete(criteria).where(eq(criteria.taskId, taskId)),
    );
    this.#deleteFindings = connection.statement((db) =>
      db.delete(findings).where(eq(findings.taskId, taskId)),
    );
    this.#openOf = connection.query((db) =>
      db
        .select({ id: tasks.id })
        .from(tasks)
        // Said as the partial index says it, so that SQLite uses that; a bound value would not do.
        .where(and(eq(tasks.roomId, sql.placeholder('roomId')), sql`${tasks.state} <> 'completed'`)),
    );
    this.#lastUnapplied = connection.query((db) =>
      db
        .select()
        .from(tasks)
        .where(
          and(
            eq(tasks.roomId, sql.placeholder('roomId')),
            // As finishedContent has it.
            or(
              and(
                inArray(tasks.ending, [...doneEndings]),
                isNotNull(sql`coalesce(${tasks.approved}, ${tasks.content})`),
              ),
              and(eq(tasks.ending, 'superseded'), isNotNull(tasks.approved)),
            ),
            isNull(tasks.appliedAt),
            // What was worked on directly is in the person's directory already.
            eq(tasks.direct, false),
          ),
        )
        .orderBy(desc(tasks.endedAt), desc(tasks.id))
        .limit(1),
    );
  }

  /** Writes a new task down. A room has one open task at a time; a second one is a bug and throws. */
  public create(task: Task, facts: Pick<TaskFacts, 'title' | 'ancestorId' | 'personBase'>): void {
    this.#context.connection.transaction(() => {
      this.#insert({
        ...columnsFrom(task),
        ...facts,
        createdAt: this.#context.clock.now(),
        endedAt: this.#endOf(task, null),
        appliedAt: null,
      });
      this.#saveParts(task);
    });
  }

  /** Writes a task's new state down: its row, criteria, findings, live turn and open question. */
  public save(task: Task): void {
    this.#context.connection.transaction(() => {
      const row = this.#byId.get({ taskId: task.id });
      if (row === undefined) throw new Error(`There is no task ${task.id} to save.`);
      this.#rewrite({ ...columnsFrom(task), endedAt: this.#endOf(task, row.endedAt) });
      this.#saveParts(task);
    });
  }

  /** A task as the tribunal sees it, with what it has spent by now; null where there is none. */
  public load(id: TaskId): Task | null {
    const row = this.#byId.get({ taskId: id });
    if (row === undefined) return null;
    const { turns, escalations, modelCalls } = this.#parts;
    const { usd, tokens, minutes } = modelCalls.sum({ taskId: id });
    return taskFrom(row, {
      criteria: this.#criteriaOf.all({ taskId: id }),
      findings: this.#findingsOf.all({ taskId: id }),
      turn: turns.liveOf(id),
      escalation: escalations.openOf(id),
      spent: { usd, tokens, minutes },
    });
  }

  /** What the host keeps about a task; null where there is none. */
  public factsOf(id: TaskId): TaskFacts | null {
    const row = this.#byId.get({ taskId: id });
    if (row === undefined) return null;
    const { title, createdAt, endedAt, appliedAt, ancestorId, personBase } = row;
    return { title, createdAt, endedAt, appliedAt, ancestorId, personBase };
  }

  /** The room's open task. */
  public openOf(roomId: RoomId): Task | null {
    const row = this.#openOf.get({ roomId });
    return row === undefined ? null : this.load(row.id);
  }

  /** Says what a task stands on, once that is known. */
  public standOn(id: TaskId, ancestorId: TaskId | null, personBase: SnapshotId | null): void {
    this.#context.connection.transaction(() => {
      this.#context.connection.builder
        .update(tasks)
        .set({ ancestorId, personBase })
        .where(eq(tasks.id, id))
        .run();
    });
  }

  /** The room's newest finished content that was not applied: what its next task starts from. */
  public lastUnapplied(roomId: RoomId): Unapplied | null {
    const row = this.#lastUnapplied.get({ roomId });
    const snapshot = row === undefined ? null : finishedContent(row);
    return row === undefined || snapshot === null
      ? null
      : { taskId: row.id, snapshot, personBase: row.personBase };
  }

  /** A task and the unapplied ones that it stands on, itself first: what applying it brings along. */
  public chainOf(id: TaskId): TaskId[] {
    const chain: TaskId[] = [];
    let next: TaskId | null = id;
    while (next !== null) {
      const facts: TaskFacts | null = this.factsOf(next);
      if (facts === null || (facts.appliedAt !== null && next !== id)) break;
      chain.push(next);
      next = facts.ancestorId;
    }
    return chain;
  }

  /**
   * What applying a task compares with: the content of the nearest task below it that the person had been given
   * before, else their directory as it stood when the chain began. What came along with the task itself counts as
   * not given before, so that applying again brings it all again. Null where the chain has not begun.
   */
  public applyBaseOf(id: TaskId): SnapshotId | null {
    const facts = this.factsOf(id);
    if (facts === null) return null;
    let below = facts.ancestorId;
    while (below !== null) {
      const row = this.#byId.get({ taskId: below });
      if (row === undefined) break;
      const givenBefore = row.appliedAt !== null && row.appliedAt !== facts.appliedAt;
      const content = givenBefore ? finishedContent(row) : null;
      if (content !== null) return content;
      below = row.ancestorId;
    }
    return facts.personBase;
  }

  /** The content of these tasks is in the person's directory. */
  public markApplied(chain: readonly TaskId[]): void {
    const appliedAt = this.#context.clock.now();
    this.#context.connection.transaction(() => {
      this.#context.connection.builder
        .update(tasks)
        .set({ appliedAt })
        .where(and(inArray(tasks.id, [...chain]), isNull(tasks.appliedAt)))
        .run();
    });
  }

  #endOf(task: Task, endedAt: number | null): number | null {
    if (task.state !== 'completed') return null;
    return endedAt ?? this.#context.clock.now();
  }

  #saveParts(task: Task): void {
    const taskId = task.id;
    this.#deleteCriteria({ taskId });
    task.criteria.forEach((criterion: Criterion, position) => {
      this.#insertCriterion({ taskId, position, ...criterion });
    });
    this.#deleteFindings({ taskId });
    task.findings.forEach((finding: Finding, position) => {
      this.#insertFinding({ taskId, position, ...finding });
    });
    this.#parts.turns.setLive(taskId, task.turn);
    this.#parts.escalations.setOpen(taskId, task.question);
  }
}
