import { describeFailure, err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { LiveTurn, Task } from '../../domain/tribunal/task.ts';
import type { TurnPlace } from '../../ports/engine.ts';
import type { OpenWorkspace, Workspace } from '../../ports/workspace.ts';
import type { Room } from '../../store/rooms.ts';
import type { Parts } from '../parts.ts';
import { withDependencies } from './dependencies.ts';

/** Most time and output that a room's setup command gets. */
const SETUP_TIMEOUT_MS = 20 * 60_000;
const SETUP_MAX_BYTES = 256 * 1024;
/** Most characters of a failed setup's output that the person is shown. */
const SETUP_TAIL_CHARACTERS = 2_000;

/** Where a turn works, and what the task stands on. */
export interface PreparedPlace {
  readonly base: SnapshotId;
  readonly place: TurnPlace;
  /** The owner's open workspace; null for roles that only read. */
  readonly open: OpenWorkspace | null;
}

/** Makes the place of a turn ready: an owner's worktree, set up and reset where that is due; for others the snapshot. */
export async function preparePlace(
  parts: Parts,
  room: Room,
  task: Task,
  turn: LiveTurn,
  signal: AbortSignal,
): Promise<Result<PreparedPlace>> {
  const workspace = parts.workspaceOf(room);
  const base = task.base === null ? await takeBase(parts, workspace, task) : ok(task.base);
  if (!base.ok) return base;
  if (turn.role !== 'owner') {
    const snapshot = workspace.read(task.content ?? base.value);
    const { dependencies } = room.settings;
    const beside =
      dependencies.length === 0 ? null : await openOwnerPlace(parts, workspace, task, base.value);
    if (beside?.ok === false) return beside;
    const files = beside === null ? snapshot : withDependencies(snapshot, beside.value.files, dependencies);
    return ok({ base: base.value, place: { kind: 'snapshot', files }, open: null });
  }
  const opened = await openOwnerPlace(parts, workspace, task, base.value);
  if (!opened.ok) return opened;
  const setUp = await setUpOnce(parts, room, task, opened.value, signal);
  if (!setUp.ok) return setUp;
  const reset = await resetOnce(parts, task, turn, opened.value, base.value);
  if (!reset.ok) return reset;
  const { directory, files } = opened.value;
  return ok({ base: base.value, place: { kind: 'directory', directory, files }, open: opened.value });
}

/** Opens the owner's place of work, or finds it as it was left. */
export async function openOwnerPlace(
  parts: Parts,
  workspace: Workspace,
  task: Task,
  base: SnapshotId,
): Promise<Result<OpenWorkspace>> {
  return parts.steps.later('workspace.opened', () => workspace.open(task.id, base));
}

/**
 * The person's directory as it stands is what the task stands on. It is taken once: a worktree may have been made of
 * it already, by a host that died or a try that failed before the turn had started.
 */
async function takeBase(parts: Parts, workspace: Workspace, task: Task): Promise<Result<SnapshotId>> {
  const { store, steps } = parts;
  const before = store.tasks.factsOf(task.id)?.personBase ?? null;
  if (before !== null) return ok(before);
  const taken = await workspace.snapshotOfDirectory();
  if (!taken.ok) return taken;
  const { id, leftOut } = taken.value;
  steps.now('base.taken', () => {
    store.transaction(() => {
      store.snapshots.record({ id, roomId: task.roomId, taskId: task.id, kind: 'base', leftOut });
      store.tasks.standOn(task.id, null, id);
    });
  });
  return ok(id);
}

/** Runs the room's setup command in a new worktree, once; one that was cut off runs again. */
async function setUpOnce(
  parts: Parts,
  room: Room,
  task: Task,
  open: OpenWorkspace,
  signal: AbortSignal,
): Promise<Result<void>> {
  const { setup } = room.settings;
  if (setup === null || task.terms.direct) return ok(undefined);
  return onceForTask(parts, task, 'setup', `Set up: ${setup}`, () =>
    parts.steps.later('setup.run', async (): Promise<Result<void>> => {
      const ran = await parts.terminals.run(
        {
          command: setup,
          directory: open.directory,
          timeoutMs: SETUP_TIMEOUT_MS,
          maxBytes: SETUP_MAX_BYTES,
          onData: () => undefined,
        },
        signal,
      );
      if (!ran.ok) return ran;
      const { exitCode, output, timedOut } = ran.value;
      if (exitCode === 0) return ok(undefined);
      return err({
        tag: 'setup_failed',
        message: `The room's setup command (${setup}) ${
          timedOut ? 'took too long' : `ended with ${exitCode ?? 'a signal'}`
        }:\n${output.slice(-SETUP_TAIL_CHARACTERS)}`,
        next: "Correct the room's setup command, then try again.",
      });
    }),
  );
}

/** Puts the content back to the base before a turn that starts over, once. */
async function resetOnce(
  parts: Parts,
  task: Task,
  turn: LiveTurn,
  open: OpenWorkspace,
  base: SnapshotId,
): Promise<Result<void>> {
  if (turn.workspace === 'keep') return ok(undefined);
  return onceForTask(parts, task, `reset:${turn.number}`, 'Put the worktree back to the base', () =>
    parts.steps.later('workspace.reset', () => open.reset(base)),
  );
}

/** Does something once for a task. It can be repeated safely, so what was cut off or failed is done again. */
async function onceForTask(
  { store }: Parts,
  task: Task,
  key: string,
  description: string,
  work: () => Promise<Result<void>>,
): Promise<Result<void>> {
  const effect = store.effects.intend(task.id, key, description);
  if (effect.kind === 'done') return ok(undefined);
  const result = await work();
  if (result.ok) store.effects.finish(effect.id, 'done', null);
  else store.effects.finish(effect.id, 'failed', describeFailure(result.failure));
  return result;
}
