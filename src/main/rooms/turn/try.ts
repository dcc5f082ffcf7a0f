import type { AttemptId, SessionId, SnapshotId, TaskId, TurnId } from '../../../shared/vocabulary/ids.ts';
import type { LiveTurn, Task } from '../../domain/tribunal/task.ts';
import type { Lease } from '../../store/jobs.ts';
import type { Room } from '../../store/rooms.ts';
import type { Parts } from '../parts.ts';
import type { ChosenRunner } from './exhaustion.ts';
import { recordHandOver } from './hand-over.ts';

/** One try of a turn, under its lease. */
export interface Try {
  readonly parts: Parts;
  readonly room: Room;
  readonly lease: Lease;
  readonly task: Task;
  readonly turn: LiveTurn;
  readonly turnId: TurnId;
}

/** A try that has begun. */
export interface BegunTry extends Try {
  readonly attemptId: AttemptId;
  readonly session: SessionId;
  readonly nonce: string;
  /** When it began, in milliseconds since 1970. */
  readonly begunAt: number;
  /** Tries of the turn went before it. */
  readonly goesOn: boolean;
  /** Its session knows nothing of before. */
  readonly newSession: boolean;
}

/** The try that a job asks for; null where its turn is not the live one any more. */
export function findTry(parts: Parts, lease: Lease, number: number): Try | null {
  const { store } = parts;
  const { taskId } = lease.job;
  const task = taskId === null ? null : store.tasks.load(taskId);
  if (task?.turn?.number !== number) return null;
  const room = store.rooms.byId(task.roomId);
  const row = store.turns.liveOf(task.id);
  if (room === null || row === null) throw new Error(`Turn ${number} of ${task.id} has no room or no row.`);
  return { parts, room, lease, task, turn: task.turn, turnId: row.id };
}

/** The turn runs from here on. Null where it is not due any more. */
export function beginTry(found: Try, base: SnapshotId | null, chosen: ChosenRunner | null): BegunTry | null {
  const { parts, task, turn, turnId } = found;
  const { store, proceedings, steps } = parts;
  return steps.now('turn.started', () =>
    store.transaction(() => {
      const decision = proceedings.feed(task.id, { type: 'turn_started', turn: turn.number, base });
      if (decision.task.turn === null || decision.rule === null) return null;
      const before = store.turns.attemptsOf(turnId);
      // The nonce is the turn's: a try that goes on in a session finds it there.
      const nonce = before.at(-1)?.nonce ?? parts.newNonce();
      const runner = chosen?.runner ?? null;
      const goesOn = before.length > 0;
      const about = { roomId: task.roomId, taskId: task.id, turnId };
      const handedOver = chosen?.handOver ?? null;
      if (handedOver !== null) recordHandOver(found, handedOver);
      for (const text of chosen?.passedOver ?? []) {
        store.events.append({ type: 'turn.noticed', ...about, data: { text } });
      }
      const attemptId = store.turns.startAttempt(turnId, turn.attempt, nonce, runner);
      const current = store.sessions.current(task.id, turn.role);
      const newSession =
        current === null ||
        (turn.session === 'fresh' && !goesOn) ||
        (current.engine ?? runner?.engine) !== runner?.engine;
      const session = newSession
        ? store.sessions.fresh(task.id, turn.role, runner?.engine ?? null)
        : current.id;
      const { number, role, purpose, attempt } = turn;
      const { engine = null, account = null } = runner ?? {};
      const data = { number, role, purpose, attempt, engine, account, model: runner?.settings.model ?? null };
      store.events.append({ type: 'turn.started', ...about, data });
      return {
        ...found,
        task: decision.task,
        turn: decision.task.turn,
        attemptId,
        session,
        nonce,
        begunAt: parts.clock.now(),
        goesOn,
        newSession,
      };
    }),
  );
}

/** Stop, a superseding message or an answer may have taken the turn away while it came to its end. */
export function isStillLive({ store }: Parts, taskId: TaskId, turn: LiveTurn): boolean {
  const live = store.tasks.load(taskId)?.turn;
  return live?.number === turn.number && live.attempt === turn.attempt && live.phase === 'running';
}
