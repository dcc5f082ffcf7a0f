import { assertNever } from '../../shared/kernel/result.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import { firstLine } from '../../shared/kernel/text.ts';
import type { MessageId, NewId, SnapshotId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { EventType } from '../../shared/vocabulary/event-types.ts';
import type { Ending, Origin } from '../../shared/vocabulary/words.ts';
import { decide } from '../domain/tribunal/decide.ts';
import type { Decision } from '../domain/tribunal/decide.ts';
import type { Effect } from '../domain/tribunal/effect.ts';
import type { TribunalEvent } from '../domain/tribunal/event.ts';
import { startTask } from '../domain/tribunal/start.ts';
import type { LiveTurn, Task, Terms } from '../domain/tribunal/task.ts';
import type { Room } from '../store/rooms.ts';
import type { Store } from '../store/store.ts';
import { jobFor } from './jobs.ts';
import type { LiveTurns } from './live-turns.ts';
import { say } from './saying.ts';

/** What a task is started with, beside its room. */
export interface Start {
  readonly origin: Origin;
  readonly request: string;
  readonly messages: readonly MessageId[];
  readonly terms: Terms;
  /** The content that it stands on, and where that came from; null to take the person's directory as it stands. */
  readonly base: {
    readonly snapshot: SnapshotId;
    readonly task: TaskId;
    readonly personBase: SnapshotId | null;
  } | null;
}

/** Most characters of a task's title: the first line of what was asked. */
const MAX_TITLE_CHARACTERS = 120;

/**
 * Carries the tribunal's decisions out. Each runs in one transaction with everything that follows from it: the
 * task's state, jobs, messages on their way out, and the log. What reaches into running turns happens after the
 * commit.
 */
export class Proceedings {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #newId: NewId;
  readonly #liveTurns: LiveTurns;

  public constructor(parts: {
    readonly store: Store;
    readonly clock: Clock;
    readonly newId: NewId;
    readonly liveTurns: LiveTurns;
  }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#newId = parts.newId;
    this.#liveTurns = parts.liveTurns;
  }

  /** Starts a task in a room that has no open one. */
  public begin(room: Room, start: Start): TaskId {
    return this.#store.transaction(() => {
      const id = this.#newId('task');
      const move = startTask({
        id,
        roomId: room.id,
        origin: start.origin,
        request: start.request,
        messages: start.messages,
        terms: start.terms,
        criteria: room.settings.criteria,
        base: start.base?.snapshot ?? null,
      });
      this.#store.tasks.create(move.task, {
        title: firstLine(start.request, MAX_TITLE_CHARACTERS),
        ancestorId: start.base?.task ?? null,
        personBase: start.base?.personBase ?? null,
      });
      for (const message of start.messages) this.#store.messages.assign(message, id);
      this.#log(move.task, 'task.started', {
        origin: start.origin,
        title: firstLine(start.request, MAX_TITLE_CHARACTERS),
      });
      for (const effect of move.effects) this.#carryOut(move.task, effect);
      return id;
    });
  }

  /** Tells the tribunal what happened, and does what follows. */
  public feed(taskId: TaskId, event: TribunalEvent): Decision {
    return this.#store.transaction(() => {
      const before = this.#store.tasks.load(taskId);
      if (before === null) throw new Error(`There is no task ${taskId} for "${event.type}".`);
      return this.feedTo(before, event);
    });
  }

  /** As `feed`, to a task as it was loaded within this transaction: with a question that is recorded as answered by now. */
  public feedTo(before: Task, event: TribunalEvent): Decision {
    return this.#store.transaction(() => {
      const decision = decide(before, event);
      if (decision.rule === null) {
        this.#log(before, 'event.ignored', { event: event.type, state: before.state });
        return decision;
      }
      this.#closeTurn(before, decision, event);
      this.#store.tasks.save(decision.task);
      this.#logDecision(before, decision, event);
      for (const effect of decision.effects) this.#carryOut(decision.task, effect);
      return decision;
    });
  }

  /** A turn that did not end by itself is marked as what became of it, before the new state closes it as ended. */
  #closeTurn(before: Task, { task }: Decision, event: TribunalEvent): void {
    if (before.turn === null || task.turn?.number === before.turn.number) return;
    const row = this.#store.turns.liveOf(before.id);
    if (row === null || event.type === 'turn_ended') return;
    this.#store.turns.close(row.id, event.type === 'turn_failed' ? 'failed' : 'cancelled');
  }

  #logDecision(before: Task, { task, rule }: Decision, event: TribunalEvent): void {
    const data = { event: event.type, rule, from: before.state, to: task.state };
    this.#log(task, 'task.decided', data);
    const known = new Set(before.findings.map((finding) => finding.id));
    const added = task.findings.filter((finding) => !known.has(finding.id));
    if (added.length > 0) this.#log(task, 'task.findings', { added });
    if (task.criteria.length !== before.criteria.length) {
      this.#log(task, 'task.criteria', { criteria: task.criteria.map(({ id, text }) => ({ id, text })) });
    }
  }

  #carryOut(task: Task, effect: Effect): void {
    switch (effect.type) {
      case 'start_turn':
        this.#addTurnJob(task, effect.turn, effect.afterMs);
        return;
      case 'end_turn':
        this.#store.jobs.cancelFor(task.id);
        this.#store.afterCommit(() => this.#liveTurns.of(task.id, effect.turn)?.end());
        return;
      case 'offer_message':
        this.#log(task, 'message.offered', { turn: effect.turn, message: effect.message });
        this.#store.afterCommit(() => {
          this.#liveTurns.offer(task.id, effect.turn);
        });
        return;
      case 'wrap_up':
        this.#log(task, 'budget.reached', { turn: effect.turn, limit: effect.limit });
        this.#store.afterCommit(() => this.#liveTurns.of(task.id, effect.turn)?.wrapUp(effect.limit));
        return;
      case 'keep_content':
        this.#store.jobs.add(jobFor({ kind: 'keep_content' }, task, this.#clock.now(), keepKeyOf(task)));
        return;
      case 'ask':
        this.#log(task, 'escalation.asked', {
          escalation: this.#store.escalations.openOf(task.id)?.id ?? null,
          kind: effect.question.kind,
          text: effect.question.text,
          answers: effect.question.answers,
        });
        say(this.#store, task, { role: 'system', text: `⚠️ ${effect.question.text}` });
        return;
      case 'close_question':
        this.#log(task, 'escalation.closed', {
          escalation: this.#store.escalations.byNumber(task.id, effect.question)?.id ?? null,
        });
        return;
      case 'tell_ending':
        this.#log(task, 'task.completed', { ending: effect.ending });
        say(this.#store, task, { role: 'system', text: endingText(effect.ending) });
        this.#store.jobs.add(jobFor({ kind: 'clear_place' }, task, this.#clock.now(), `clear:${task.id}`));
        return;
      case 'start_task':
        this.#startNext(task, effect);
        return;
      default:
        assertNever(effect);
    }
  }

  #addTurnJob(task: Task, turn: LiveTurn, afterMs: number): void {
    const forPerson = turn.role === 'owner' && task.waiting.length + turn.messages.length > 0;
    const work = { kind: 'turn', number: turn.number, attempt: turn.attempt } as const;
    const key = `turn:${task.id}:${turn.number}:${turn.attempt}`;
    const job = jobFor(work, task, this.#clock.now() + afterMs, key);
    this.#store.jobs.add({ ...job, priority: forPerson ? 1 : 0 });
    this.#log(task, 'turn.due', {
      number: turn.number,
      role: turn.role,
      purpose: turn.purpose,
      attempt: turn.attempt,
      afterMs,
    });
  }

  #startNext(task: Task, effect: Extract<Effect, { type: 'start_task' }>): void {
    const room = this.#store.rooms.byId(task.roomId);
    if (room === null) throw new Error(`There is no room ${task.roomId} for the next task.`);
    this.begin(room, {
      origin: 'message',
      request: effect.text,
      messages: [effect.message],
      terms: task.terms,
      base: {
        snapshot: effect.base,
        task: task.id,
        personBase: this.#store.tasks.factsOf(task.id)?.personBase ?? null,
      },
    });
  }

  #log(task: Task, type: EventType, data: Readonly<Record<string, unknown>>): void {
    this.#store.events.append({ type, roomId: task.roomId, taskId: task.id, data });
  }
}

/** Content is kept once for each reason: before the turn that starts over, however often that is tried, and at the end. */
function keepKeyOf({ id, turn }: Task): string {
  return `keep:${id}:${turn === null ? 'end' : turn.number}`;
}

function endingText(ending: Ending): string {
  switch (ending) {
    case 'reviewed':
      return '✅ Done, reviewed.';
    case 'unreviewed':
      return '✅ Done, unreviewed.';
    case 'accepted':
      return '✅ Done, accepted by a person.';
    case 'stopped':
      return '⏹ Stopped. What was there is kept as a snapshot.';
    case 'superseded':
      return '↪ Superseded by a new task, which goes on from the approved content.';
  }
}
