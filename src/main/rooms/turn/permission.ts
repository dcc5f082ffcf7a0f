import type { AttemptId, EscalationId, TaskId, TurnId } from '../../../shared/vocabulary/ids.ts';
import { permissionAnswers } from '../../../shared/vocabulary/words.ts';
import type { Role } from '../../../shared/vocabulary/words.ts';
import type { PermissionAnswer, PermissionWish } from '../../ports/engine.ts';
import type { Parts } from '../parts.ts';
import { say } from '../saying.ts';

/** Most characters of a wish: a person has to be shown all that they allow, and to be able to read it. */
const MAX_WISH_CHARACTERS = 20_000;

type PermissionParts = Pick<Parts, 'store' | 'clock'>;

/** Which try asks. */
interface AskingTry {
  readonly task: { readonly id: TaskId };
  readonly turn: { readonly role: Role; readonly number: number };
  readonly turnId: TurnId;
  readonly attemptId: AttemptId;
}

/** Asks a person for one try of a turn, one wish after another, and waits for each answer. */
export class Permissions {
  readonly #parts: PermissionParts;
  readonly #of: AskingTry;
  readonly #over = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  public constructor(parts: PermissionParts, of: AskingTry) {
    this.#parts = parts;
    this.#of = of;
  }

  /** An abort takes the question back; it is refused then. */
  public ask(wish: PermissionWish, signal: AbortSignal): Promise<PermissionAnswer> {
    const asked = this.#last.then(() => this.#askNow(wish, AbortSignal.any([signal, this.#over.signal])));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  /** The try is over: what it asked is taken back. */
  public close(): void {
    this.#over.abort();
  }

  async #askNow(wish: PermissionWish, signal: AbortSignal): Promise<PermissionAnswer> {
    if (signal.aborted) return withdrawn;
    if (wish.description.length > MAX_WISH_CHARACTERS) return refusal('It is too long for a person to read.');
    const { store, clock } = this.#parts;
    const id = this.#writeDown(wish);
    if (id === null) return withdrawn;
    const askedAt = clock.now();
    await this.#closed(id, signal);
    store.turns.addWait(this.#of.attemptId, Math.max(0, clock.now() - askedAt));
    const { answer = null, answerText = null } = store.escalations.byId(id) ?? {};
    if (answer === 'allow') return { allowed: true };
    if (answer !== 'refuse') return withdrawn;
    return refusal(answerText === null || answerText === '' ? 'A person refused it.' : answerText);
  }

  /** Null where the turn is not the live one any more. */
  #writeDown({ tool, description }: PermissionWish): EscalationId | null {
    const { store } = this.#parts;
    const { turn, turnId } = this.#of;
    const text = `The ${turn.role} asks whether it may use ${tool}:\n${description}`;
    return store.transaction(() => {
      const task = store.tasks.load(this.#of.task.id);
      if (task?.turn?.number !== turn.number) return null;
      const id = store.permissions.ask(task, text);
      const data = { escalation: id, kind: 'permission', text, answers: permissionAnswers };
      store.events.append({ type: 'escalation.asked', roomId: task.roomId, taskId: task.id, turnId, data });
      say(store, task, { role: 'system', text: `⚠️ ${text}` });
      return id;
    });
  }

  /** Resolves when the question is answered; an abort takes it back. */
  #closed(id: EscalationId, signal: AbortSignal): Promise<void> {
    const { store } = this.#parts;
    return new Promise((resolve) => {
      const look = (): void => {
        if (store.escalations.byId(id)?.state === 'open') return;
        stopListening();
        signal.removeEventListener('abort', withdraw);
        resolve();
      };
      const withdraw = (): void => {
        withdrawPermission(this.#parts, this.#of.task.id, id);
      };
      const stopListening = store.events.onAppended(({ type }) => {
        if (type === 'escalation.closed') look();
      });
      signal.addEventListener('abort', withdraw);
      // Whoever heard the question may have answered it already.
      look();
    });
  }
}

const withdrawn = refusal('The question was taken back.');

function refusal(reason: string): PermissionAnswer {
  return { allowed: false, reason };
}

/** Takes a question back and tells of it, unless it was closed before. */
function withdrawPermission({ store }: PermissionParts, taskId: TaskId, id: EscalationId): void {
  store.transaction(() => {
    if (!store.permissions.withdraw(id)) return;
    const roomId = store.tasks.load(taskId)?.roomId ?? null;
    store.events.append({ type: 'escalation.closed', roomId, taskId, data: { escalation: id } });
  });
}
