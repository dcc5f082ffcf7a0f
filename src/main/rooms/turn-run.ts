import { describeFailure, err, ok } from '../../shared/kernel/result.ts';
import type { Failure, Result } from '../../shared/kernel/result.ts';
import type { AttemptId, SessionId, SnapshotId, TaskId, TurnId } from '../../shared/vocabulary/ids.ts';
import type { Content, TurnFailed } from '../domain/tribunal/event.ts';
import type { LiveTurn, Task } from '../domain/tribunal/task.ts';
import type { Engine, EngineFailure, EngineSettings, TurnYield } from '../ports/engine.ts';
import type { OpenWorkspace } from '../ports/workspace.ts';
import type { Lease } from '../store/jobs.ts';
import type { Room } from '../store/rooms.ts';
import { readingFrom } from '../store/verdicts.ts';
import type { Parts } from './parts.ts';
import { roleSettings } from './parts.ts';
import { systemPrompt } from './prompts/system-prompt.ts';
import { turnPrompt } from './prompts/turn-prompt.ts';
import { say } from './saying.ts';
import { Desk } from './turn-desk.ts';
import { promptMaterial, taskChanges } from './turn-material.ts';
import { openOwnerPlace, preparePlace } from './turn-place.ts';
import type { PreparedPlace } from './turn-place.ts';

/** One try of a turn, under its lease. */
interface Try {
  readonly parts: Parts;
  readonly room: Room;
  readonly lease: Lease;
  readonly task: Task;
  readonly turn: LiveTurn;
  readonly turnId: TurnId;
}

/** A try that has begun. */
interface Begun extends Try {
  readonly attemptId: AttemptId;
  readonly session: SessionId;
  readonly nonce: string;
}

/**
 * Runs one try of a turn to its end and tells the tribunal how it went. It may find that it died half-way with
 * the host: then it goes on from what had been written down.
 */
export async function runTurn(
  parts: Parts,
  lease: Lease,
  number: number,
  signal: AbortSignal,
): Promise<void> {
  const found = findTry(parts, lease, number);
  if (found === null) {
    parts.store.jobs.complete(lease);
    return;
  }
  if (found.turn.phase === 'running') await goOnAfterDeath(found);
  else await startTry(found, signal);
}

function findTry(parts: Parts, lease: Lease, number: number): Try | null {
  const { store } = parts;
  const { taskId } = lease.job;
  const task = taskId === null ? null : store.tasks.load(taskId);
  if (task?.turn?.number !== number) return null;
  const room = store.rooms.byId(task.roomId);
  const row = store.turns.liveOf(task.id);
  if (room === null || row === null) throw new Error(`Turn ${number} of ${task.id} has no room or no row.`);
  return { parts, room, lease, task, turn: task.turn, turnId: row.id };
}

/** The host died while the turn ran: what it had said is concluded, else it runs again. */
async function goOnAfterDeath(found: Try): Promise<void> {
  const { parts, lease, task, turnId } = found;
  const attempt = parts.store.turns.attemptsOf(turnId).at(-1);
  const said = parts.store.verdicts.ofTurn(turnId).findLast((verdict) => verdict.attemptId === attempt?.id);
  if (attempt !== undefined && said !== undefined) {
    const { text, report } = said;
    await conclude({ ...found, attemptId: attempt.id }, { text, reading: readingFrom(said), report }, null);
    return;
  }
  parts.steps.now('turn.decided', () => {
    parts.store.transaction(() => {
      parts.store.jobs.complete(lease);
      parts.proceedings.feed(task.id, { type: 'host_restarted' });
    });
  });
}

async function startTry(found: Try, signal: AbortSignal): Promise<void> {
  const { parts, room, task, turn } = found;
  const ending = new AbortController();
  const running: { desk: Desk | null; graceOver: boolean } = { desk: null, graceOver: false };
  const removeReins = parts.liveTurns.add(task.id, {
    number: turn.number,
    end: () => {
      ending.abort();
    },
    wrapUp: (limit) => {
      running.desk?.wrapUp(limit);
    },
  });
  const either = AbortSignal.any([signal, ending.signal]);
  try {
    const prepared = await preparePlace(parts, room, task, turn, either);
    if (either.aborted) return;
    const begun = begin(found, prepared.ok ? prepared.value.base : null);
    if (begun === null) return;
    if (!prepared.ok) {
      await fail(begun, { ...prepared.failure, forGood: true }, null, false);
      return;
    }
    const desk = new Desk(parts, begun, () => {
      running.graceOver = true;
      ending.abort();
    });
    running.desk = desk;
    const ran = await runEngine(begun, prepared.value, desk, either);
    if (signal.aborted) return;
    if (ran.ok) {
      record(begun, ran.value);
      await conclude(begun, ran.value, prepared.value.open);
    } else if (ran.failure.tag === 'stopped' && !running.graceOver) {
      parts.store.turns.endAttempt(begun.attemptId, 'stopped');
    } else {
      await fail(begun, ran.failure, prepared.value.open, running.graceOver || ran.failure.tag === 'budget');
    }
  } finally {
    running.desk?.close();
    removeReins();
  }
}

/** The turn runs from here on. Null where it is not due any more. */
function begin(found: Try, base: SnapshotId | null): Begun | null {
  const { parts, task, turn, turnId } = found;
  const { store, proceedings, steps } = parts;
  return steps.now('turn.started', () =>
    store.transaction(() => {
      const decision = proceedings.feed(task.id, { type: 'turn_started', turn: turn.number, base });
      if (decision.task.turn === null || decision.rule === null) return null;
      const nonce = store.turns.attemptsOf(turnId).at(-1)?.nonce ?? parts.newNonce();
      const attemptId = store.turns.startAttempt(turnId, turn.attempt, nonce);
      const current = store.sessions.current(task.id, turn.role);
      const session =
        current === null || (turn.session === 'fresh' && turn.attempt === 1)
          ? store.sessions.fresh(task.id, turn.role)
          : current;
      const settings = roleSettings(parts, found.room, turn.role);
      const { role, purpose, attempt } = turn;
      const data = {
        number: turn.number,
        role,
        purpose,
        attempt,
        engine: settings?.engine ?? null,
        model: settings?.model ?? null,
      };
      store.events.append({ type: 'turn.started', roomId: task.roomId, taskId: task.id, turnId, data });
      return { ...found, task: decision.task, turn: decision.task.turn, attemptId, session, nonce };
    }),
  );
}

async function runEngine(
  begun: Begun,
  { place, open }: PreparedPlace,
  desk: Desk,
  signal: AbortSignal,
): Promise<Result<TurnYield, EngineFailure>> {
  const { parts, room, task, turn, nonce } = begun;
  const chosen = chooseEngine(begun);
  if (!chosen.ok) return chosen;
  const { engine, settings } = chosen.value;
  const begunBefore = turn.attempt > 1 && !engine.resumes ? open : null;
  const [system, material] = [
    await systemPrompt(turn.role, room.settings, parts.resourcesDirectory),
    await promptMaterial(parts, room, task, turn, nonce, begunBefore),
  ];
  if (!system.ok) return err({ ...system.failure, tag: 'misconfigured', forGood: true });
  if (!material.ok) return err({ ...material.failure, tag: 'misconfigured', forGood: true });
  const changes = taskChanges(parts, parts.workspaceOf(room), task);
  return parts.steps.now('engine.started', () =>
    engine.run(
      {
        turnId: begun.turnId,
        role: turn.role,
        purpose: turn.purpose,
        settings,
        nonce,
        system: system.value,
        prompt: turnPrompt(material.value),
        session: begun.session,
        resumed: turn.attempt > 1,
        place,
        ...(changes === undefined ? {} : { changes }),
      },
      desk,
      signal,
    ),
  );
}

function chooseEngine({
  parts,
  room,
  turn,
}: Begun): Result<{ engine: Engine; settings: EngineSettings }, EngineFailure> {
  const settings = roleSettings(parts, room, turn.role);
  const engine = settings === null ? undefined : parts.engines.get(settings.engine);
  if (settings !== null && engine !== undefined) return ok({ engine, settings });
  return err({
    tag: 'misconfigured',
    forGood: true,
    message:
      settings === null
        ? `Room ${room.name} has no engine for the ${turn.role}.`
        : `The engine ${settings.engine} for the ${turn.role} of room ${room.name} is not available here.`,
    next: `Choose another with \`tribune rooms set ${room.name} --${turn.role} ENGINE:MODEL\`, then try again.`,
  });
}

/** What the turn came to is written down before anything is made of it. */
function record(begun: Begun, { reading, report, text }: TurnYield): void {
  const { parts, task, turn, turnId, attemptId } = begun;
  const { store, steps } = parts;
  steps.now('turn.result.recorded', () => {
    store.transaction(() => {
      store.verdicts.record({ turnId, attemptId, reading, report, text });
      const data =
        reading.kind === 'verdict'
          ? { role: turn.role, verdict: reading.verdict, via: reading.via }
          : { role: turn.role, verdict: null, reason: reading.reason };
      store.events.append({ type: 'verdict.read', roomId: task.roomId, taskId: task.id, turnId, data });
      if (text !== '') say(store, task, { role: 'agent', text, speaker: turn.role });
    });
  });
}

/** A turn has ended by itself: its content is taken, and the tribunal decides. */
async function conclude(
  ended: Try & { readonly attemptId: AttemptId },
  { reading, report, text }: TurnYield,
  open: OpenWorkspace | null,
): Promise<void> {
  const { parts, lease, task, turn, turnId, attemptId } = ended;
  const { store, proceedings, steps } = parts;
  const taken = turn.role === 'owner' ? await takeContent(ended, open) : null;
  steps.now('turn.decided', () => {
    store.transaction(() => {
      if (!stillLive(parts, task.id, turn)) {
        store.turns.endAttempt(attemptId, 'stopped');
        return;
      }
      store.turns.endAttempt(attemptId, 'ended');
      store.jobs.complete(lease);
      if (taken !== null && taken.content.kind === 'snapshot') {
        const { snapshot } = taken.content;
        store.snapshots.record({
          id: snapshot,
          roomId: task.roomId,
          taskId: task.id,
          kind: 'content',
          leftOut: taken.leftOut,
        });
      }
      const verdict = reading.kind === 'verdict' ? reading.verdict : null;
      const data = { number: turn.number, role: turn.role, purpose: turn.purpose, verdict };
      store.events.append({ type: 'turn.ended', roomId: task.roomId, taskId: task.id, turnId, data });
      proceedings.feed(task.id, {
        type: 'turn_ended',
        turn: turn.number,
        attempt: turn.attempt,
        visible: text.trim() !== '' || verdict !== null,
        reading,
        text,
        report,
        content: taken?.content ?? null,
      });
    });
  });
}

async function takeContent(
  { parts, room, task, turn }: Try,
  open: OpenWorkspace | null,
): Promise<{ content: Content; leftOut: readonly string[] }> {
  const opened =
    open !== null || task.base === null
      ? open
      : await openOwnerPlace(parts, parts.workspaceOf(room), task, task.base);
  if (opened === null) return unknownContent('The task has no workspace.');
  const place = 'ok' in opened ? opened : ok(opened);
  if (!place.ok) return unknownContent(describeFailure(place.failure));
  const { approved } = task;
  if (turn.purpose === 'finish' && approved !== null) {
    const compared = await parts.steps.later('content.compared', () => place.value.compare(approved));
    if (!compared.ok) return unknownContent(describeFailure(compared.failure));
    const { equal, snapshot } = compared.value;
    return {
      content: { kind: 'snapshot', snapshot: snapshot.id, equalsApproved: equal },
      leftOut: snapshot.leftOut,
    };
  }
  const snapshot = await parts.steps.later('content.taken', () => place.value.snapshot());
  if (!snapshot.ok) return unknownContent(describeFailure(snapshot.failure));
  const { id, leftOut } = snapshot.value;
  return { content: { kind: 'snapshot', snapshot: id, equalsApproved: null }, leftOut };
}

function unknownContent(reason: string): { content: Content; leftOut: readonly string[] } {
  return { content: { kind: 'unknown', reason }, leftOut: [] };
}

/** A try has failed: what the owner had made by then is kept, and the tribunal decides. */
async function fail(
  begun: Begun,
  failure: Failure & { readonly forGood: boolean; readonly retryAfterMs?: number },
  open: OpenWorkspace | null,
  cut: boolean,
): Promise<void> {
  const { parts, lease, task, turn, turnId, attemptId } = begun;
  const { store, proceedings, steps } = parts;
  const final = cut || failure.forGood;
  const taken = turn.role === 'owner' && final && open !== null ? await takeContent(begun, open) : null;
  const content = taken?.content.kind === 'snapshot' ? taken.content.snapshot : null;
  const reason = describeFailure(failure);
  const event: TurnFailed = {
    type: 'turn_failed',
    turn: turn.number,
    attempt: turn.attempt,
    forGood: failure.forGood,
    cut,
    reason,
    retryAfterMs: failure.retryAfterMs ?? null,
    content,
  };
  steps.now('turn.decided', () => {
    store.transaction(() => {
      if (!stillLive(parts, task.id, turn)) {
        store.turns.endAttempt(attemptId, 'stopped');
        return;
      }
      store.turns.endAttempt(attemptId, 'failed', reason);
      store.jobs.complete(lease);
      if (content !== null) {
        const leftOut = taken?.leftOut ?? [];
        store.snapshots.record({
          id: content,
          roomId: task.roomId,
          taskId: task.id,
          kind: 'content',
          leftOut,
        });
      }
      const data = {
        number: turn.number,
        role: turn.role,
        tag: failure.tag,
        reason,
        forGood: failure.forGood,
      };
      store.events.append({ type: 'turn.failed', roomId: task.roomId, taskId: task.id, turnId, data });
      proceedings.feed(task.id, event);
    });
  });
}

/** Stop, a superseding message or an answer may have taken the turn away while it came to its end. */
function stillLive({ store }: Parts, taskId: TaskId, turn: LiveTurn): boolean {
  const live = store.tasks.load(taskId)?.turn;
  return live?.number === turn.number && live.attempt === turn.attempt && live.phase === 'running';
}
