import { err, ok } from '../../shared/kernel/result.ts';
import type { Failure, Result } from '../../shared/kernel/result.ts';
import type { EscalationId, MessageId, TaskId } from '../../shared/vocabulary/ids.ts';
import type { CriterionId } from '../../shared/vocabulary/point-ids.ts';
import type { Answer } from '../../shared/vocabulary/words.ts';
import type { Terms } from '../domain/tribunal/task.ts';
import type { ChannelAddress } from '../ports/channel.ts';
import type { Room } from '../store/rooms.ts';
import type { Parts } from './parts.ts';
import { roleSettings } from './parts.ts';
import { localAddress } from './saying.ts';

/** A message as it came in. */
export interface Incoming {
  readonly text: string;
  /** Names it at its source; the same name is taken once. */
  readonly source: string;
  readonly channel?: ChannelAddress;
}

/** What became of a message: the task that it started or belongs to. */
export interface Accepted {
  readonly message: MessageId;
  readonly task: TaskId;
  /** It had come before. */
  readonly known: boolean;
  /** The task began with it, and was not open already. */
  readonly started: boolean;
}

export interface PersonAnswer {
  readonly answer: Answer;
  readonly text: string;
  readonly criteria: readonly string[];
  readonly dropped: readonly CriterionId[];
  readonly answeredBy: string;
  readonly shownHash?: string;
}

type RequestParts = Pick<Parts, 'store' | 'proceedings' | 'steps' | 'workspaceOf' | 'defaultRoles'>;

/** What people ask of rooms. Each is durable when the call returns; what follows from it happens by itself. */
export class Requests {
  readonly #parts: RequestParts;

  public constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** A person's message: it goes to the room's open task, or starts one. */
  public async accept(room: Room, incoming: Incoming): Promise<Accepted> {
    const { store, proceedings, steps } = this.#parts;
    const direct = store.tasks.openOf(room.id) === null && (await this.#worksDirectly(room));
    return steps.now('message.accepted', () =>
      store.transaction((): Accepted => {
        const accepted = store.messages.accept(incoming.source, {
          channel: incoming.channel ?? localAddress(room.id),
          roomId: room.id,
          taskId: null,
          agentId: null,
          sourceAgentId: null,
          type: 'human_message',
          role: 'human',
          status: 'delivered',
          payload: { text: incoming.text },
        });
        if (accepted.kind === 'known') {
          const repeated = { message: accepted.id, source: incoming.source };
          store.events.append({ type: 'message.repeated', roomId: room.id, data: repeated });
          const task = store.messages.byId(accepted.id)?.taskId ?? null;
          if (task === null) throw new Error(`${accepted.id} was accepted without a task.`);
          return this.#taken(accepted.id, task, true);
        }
        const message = accepted.message.id;
        const data = { message, text: incoming.text };
        store.events.append({ type: 'message.accepted', roomId: room.id, data });
        const open = store.tasks.openOf(room.id);
        if (open === null) {
          const task = this.#begin(room, message, incoming.text, direct);
          return this.#taken(message, task, false);
        }
        store.messages.assign(message, open.id);
        const question = store.escalations.openOf(open.id);
        if (question !== null) {
          store.escalations.answer(question.id, {
            answer: 'send_back',
            text: incoming.text,
            answeredBy: 'a message in the room',
          });
        }
        proceedings.feedTo(open, { type: 'message_arrived', message, text: incoming.text });
        return this.#taken(message, store.tasks.openOf(room.id)?.id ?? open.id, false);
      }),
    );
  }

  /** Stops a task; a task that has ended already stays as it is. */
  public stop(taskId: TaskId): void {
    const { proceedings, steps } = this.#parts;
    steps.now('stop.recorded', () => proceedings.feed(taskId, { type: 'stop_requested' }));
  }

  /** A person's answer to an escalation, the first one only. */
  public answer(id: EscalationId, given: PersonAnswer): Result<TaskId> {
    const { store, proceedings, steps } = this.#parts;
    if (store.escalations.byId(id)?.kind === 'permission') return this.#answerPermission(id, given);
    if (given.answer === 'send_back' && given.text.trim() === '' && given.criteria.length === 0) {
      return err({
        tag: 'words_missing',
        message: 'Sending work back needs words for the owner.',
        next: 'Say what should be different.',
      });
    }
    return steps.now('answer.recorded', () =>
      store.transaction((): Result<TaskId> => {
        const asked = store.escalations.byId(id);
        const task = asked === null ? null : store.tasks.load(asked.taskId);
        const answered = store.escalations.answer(id, given);
        if (!answered.ok) return answered;
        const { taskId, number } = answered.value;
        if (task === null) throw new Error(`There is no task ${taskId} for ${id}.`);
        const message =
          given.text.trim() === ''
            ? null
            : store.messages.add({
                channel: localAddress(task.roomId),
                roomId: task.roomId,
                taskId,
                agentId: null,
                sourceAgentId: null,
                type: 'human_message',
                role: 'human',
                status: 'delivered',
                payload: { text: given.text },
              }).id;
        const { answer, criteria, dropped } = given;
        proceedings.feedTo(task, {
          type: 'person_answered',
          question: number,
          answer,
          message,
          criteria,
          dropped,
        });
        return ok(taskId);
      }),
    );
  }

  /** The running turn that asks hears of it by the event; the tribunal only where the task is stopped. */
  #answerPermission(id: EscalationId, given: PersonAnswer): Result<TaskId> {
    const { store, proceedings, steps } = this.#parts;
    if (given.criteria.length > 0 || given.dropped.length > 0) return err(criteriaNotTaken(id));
    return steps.now('answer.recorded', () =>
      store.transaction((): Result<TaskId> => {
        const answered = store.escalations.answer(id, given);
        if (!answered.ok) return answered;
        const { taskId } = answered.value;
        const roomId = store.tasks.load(taskId)?.roomId ?? null;
        const data = { escalation: id, answer: given.answer };
        store.events.append({ type: 'escalation.closed', roomId, taskId, data });
        if (given.answer === 'stop') proceedings.feed(taskId, { type: 'stop_requested' });
        return ok(taskId);
      }),
    );
  }

  #taken(message: MessageId, task: TaskId, known: boolean): Accepted {
    const [first] = this.#parts.store.messages.ofTask(task);
    return { message, task, known, started: first?.id === message };
  }

  #begin(room: Room, message: MessageId, text: string, direct: boolean): TaskId {
    const { store, proceedings } = this.#parts;
    const earlier = direct ? null : store.tasks.lastUnapplied(room.id);
    return proceedings.begin(room, {
      origin: 'message',
      request: text,
      messages: [message],
      terms: this.#termsOf(room, direct),
      base:
        earlier === null
          ? null
          : { snapshot: earlier.snapshot, task: earlier.taskId, personBase: earlier.personBase },
    });
  }

  #termsOf(room: Room, direct: boolean): Terms {
    const { mode, budget } = room.settings;
    const hasArbiter = mode === 'tribunal' && roleSettings(this.#parts, room, 'arbiter') !== null;
    return { mode, hasArbiter, direct, budget };
  }

  /** Where the directory is no repository, owners work in it directly. One that cannot be looked at is found out about when the owner's turn starts, with its message kept. */
  async #worksDirectly(room: Room): Promise<boolean> {
    const report = await this.#parts.workspaceOf(room).inspect();
    return report.ok && report.value.kind === 'plain';
  }
}

function criteriaNotTaken(id: EscalationId): Failure {
  return {
    tag: 'answer_takes_no_criteria',
    message: `The escalation ${id} is about one step of a running turn, so it changes no criteria.`,
    next: 'Answer it without them.',
  };
}
