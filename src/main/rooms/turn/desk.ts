import type { AttemptId, MessageId, SessionId, TaskId, TurnId } from '../../../shared/vocabulary/ids.ts';
import type { BudgetLimit } from '../../../shared/vocabulary/words.ts';
import { GRACE_CALLS, GRACE_MS, reachedLimit } from '../../domain/budget/budget.ts';
import type { LiveTurn, Task } from '../../domain/tribunal/task.ts';
import type {
  CallPermit,
  EffectJournal,
  FollowUp,
  ModelCall,
  PermissionAnswer,
  PermissionWish,
  Transcript,
  TurnDesk,
  TurnEvent,
} from '../../ports/engine.ts';
import type { Parts } from '../parts.ts';
import { Permissions } from './permission.ts';

/** Which try of which turn the desk serves. */
export interface DeskOf {
  readonly task: Task;
  readonly turn: LiveTurn;
  readonly turnId: TurnId;
  readonly attemptId: AttemptId;
  readonly session: SessionId;
}

/** The host's side of one try of a turn: what an engine tells it is durable when the call returns. */
export class Desk implements TurnDesk {
  public readonly transcript: Transcript;
  public readonly journal: EffectJournal;
  readonly #parts: Parts;
  readonly #of: DeskOf;
  readonly #onGraceOver: () => void;
  readonly #permissions: Permissions;
  #grace: { readonly limit: BudgetLimit; callsLeft: number } | null = null;
  #cancelGrace: () => void = () => undefined;

  public constructor(parts: Parts, of: DeskOf, onGraceOver: () => void) {
    this.#parts = parts;
    this.#of = of;
    this.#onGraceOver = onGraceOver;
    this.#permissions = new Permissions(parts, of);
    this.transcript = transcriptOf(parts, of.session);
    this.journal = journalOf(parts, of.task.id, of.session);
  }

  public report(event: TurnEvent): void {
    const { store, liveFeed } = this.#parts;
    const { task, turnId } = this.#of;
    if (event.type === 'terminal_output') {
      liveFeed.publish({ roomId: task.roomId, taskId: task.id, turnId, event });
      return;
    }
    const { type, ...data } = event;
    store.events.append({ type: eventNames[type], roomId: task.roomId, taskId: task.id, turnId, data });
  }

  public beforeCall(): CallPermit {
    const limit = this.#grace?.limit ?? this.#reachedLimit();
    if (limit === null) return { kind: 'go' };
    const { task, turn } = this.#of;
    if (this.#grace === null) {
      this.#parts.proceedings.feed(task.id, { type: 'budget_reached', turn: turn.number, limit });
    }
    // Carrying that decision out has begun the grace, unless the turn is not the live one any more.
    return this.#permitInGrace() ?? { kind: 'refused', limit };
  }

  public recordCall(call: ModelCall): void {
    const { store, steps } = this.#parts;
    const { task, turnId, attemptId } = this.#of;
    steps.now('call.recorded', () => {
      store.transaction(() => {
        store.modelCalls.record(attemptId, call);
        const { model, usd, durationMs } = call;
        const tokens = call.inputTokens + call.outputTokens + call.cacheReadTokens + call.cacheWriteTokens;
        const data = { model, tokens, usd, durationMs };
        store.events.append({ type: 'call.recorded', roomId: task.roomId, taskId: task.id, turnId, data });
      });
    });
  }

  public followUps(): readonly FollowUp[] {
    const { task, turn } = this.#of;
    if (turn.purpose !== 'work') return [];
    const waiting = this.#parts.store.tasks.load(task.id)?.waiting ?? [];
    return waiting.map((id) => ({ id, text: this.#textOf(id) }));
  }

  public onFollowUp(tell: () => void): () => void {
    return this.#parts.liveTurns.onOffer(this.#of.task.id, this.#of.turn.number, tell);
  }

  public askPermission(wish: PermissionWish, signal: AbortSignal): Promise<PermissionAnswer> {
    return this.#permissions.ask(wish, signal);
  }

  public taken(message: MessageId): void {
    const { task, turn } = this.#of;
    this.#parts.proceedings.feed(task.id, { type: 'message_taken', turn: turn.number, message });
  }

  /** The budget is used up: a few more calls, a few more minutes. */
  public wrapUp(limit: BudgetLimit): void {
    if (this.#grace !== null) return;
    this.#grace = { limit, callsLeft: GRACE_CALLS };
    this.#cancelGrace = this.#parts.clock.after(GRACE_MS, this.#onGraceOver);
  }

  /** The try is over. */
  public close(): void {
    this.#cancelGrace();
    this.#permissions.close();
  }

  /** One of the calls that the grace still allows; null where there is none left, or no grace. */
  #permitInGrace(): CallPermit | null {
    if (this.#grace === null || this.#grace.callsLeft === 0) return null;
    const { limit, callsLeft } = this.#grace;
    this.#grace.callsLeft -= 1;
    return { kind: 'wrap_up', limit, callsLeft };
  }

  #reachedLimit(): BudgetLimit | null {
    const task = this.#parts.store.tasks.load(this.#of.task.id);
    return task === null
      ? null
      : reachedLimit(task.terms.budget, task.budgets, task.spent, task.counters.rounds);
  }

  #textOf(id: MessageId): string {
    return this.#parts.store.messages.byId(id)?.payload.text ?? '';
  }
}

/** What a turn's events are called in the log. */
const eventNames = {
  text: 'turn.said',
  tool_started: 'tool.started',
  tool_ended: 'tool.ended',
  notice: 'turn.noticed',
} as const;

function transcriptOf({ store, steps }: Parts, session: SessionId): Transcript {
  return {
    entries: () => store.sessions.entries(session),
    append(entries) {
      steps.now('transcript.appended', () => {
        store.sessions.append(session, entries);
      });
    },
  };
}

/** Keys are unique within their session, so that one that goes on in a later turn finds what an earlier turn did, and a fresh one does not. */
function journalOf({ store, steps }: Parts, taskId: TaskId, session: SessionId): EffectJournal {
  return {
    async perform(key, description, work) {
      const intention = steps.now('effect.intended', () =>
        store.effects.intend(taskId, `${session}:${key}`, description),
      );
      switch (intention.kind) {
        case 'done':
          return { kind: 'done', result: intention.result };
        case 'failed':
        case 'unknown':
          return { kind: 'unknown' };
        case 'new': {
          const result = await steps.later('effect.performed', work);
          steps.now('effect.finished', () => {
            store.effects.finish(intention.id, 'done', result);
          });
          return { kind: 'done', result };
        }
      }
    },
  };
}
