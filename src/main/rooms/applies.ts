import { describeFailure, err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { EffectId, SnapshotId, TaskId } from '../../shared/vocabulary/ids.ts';
import { finishedContent } from '../domain/tribunal/finished.ts';
import type { Applied } from '../ports/workspace.ts';
import { APPLY_KEY_START } from '../store/effects.ts';
import type { Room } from '../store/rooms.ts';
import type { Parts } from './parts.ts';

/** What is brought into which room's directory, as the changes since `base`. */
interface Applicable {
  readonly room: Room;
  readonly base: SnapshotId;
  readonly content: SnapshotId;
}

/** Brings finished work into the person's directory, whole or not at all, whenever the host dies. */
export class Applies {
  readonly #parts: Parts;
  readonly #running = new Map<TaskId, Promise<Result<Applied>>>();

  public constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Brings a finished task's content into the person's directory, with that of the unapplied tasks that it stands on. */
  public apply(taskId: TaskId): Promise<Result<Applied>> {
    return this.#once(taskId, null);
  }

  /** At boot: does to its end what a host that died had begun, for the directory may be half-written. */
  public async finishLost(): Promise<void> {
    for (const { id, taskId } of this.#parts.store.effects.unknownApplies()) await this.#once(taskId, id);
  }

  /** Waits for what is being written. */
  public async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Who asks for an apply that is under way gets that one's result. */
  #once(taskId: TaskId, begun: EffectId | null): Promise<Result<Applied>> {
    const running = this.#running.get(taskId);
    if (running !== undefined) return running;
    const applying = this.#apply(taskId, begun).finally(() => {
      this.#running.delete(taskId);
    });
    this.#running.set(taskId, applying);
    return applying;
  }

  async #apply(taskId: TaskId, begun: EffectId | null): Promise<Result<Applied>> {
    const { store, steps, newId, workspaceOf } = this.#parts;
    const applicable = this.#applicable(taskId);
    if (!applicable.ok) return applicable;
    const { room, base, content } = applicable.value;
    const effect =
      begun ??
      steps.now('apply.intended', () => {
        const what = `Apply ${content} to ${room.settings.directory}`;
        return store.effects.intend(taskId, APPLY_KEY_START + newId('effect'), what).id;
      });
    const applied = await steps.later('apply.written', () => workspaceOf(room).apply(base, content));
    steps.now('apply.recorded', () => {
      store.transaction(() => {
        if (!applied.ok) {
          const reason = describeFailure(applied.failure);
          store.effects.finish(effect, 'failed', reason);
          store.events.append({ type: 'task.apply_failed', roomId: room.id, taskId, data: { reason } });
          return;
        }
        store.effects.finish(effect, 'done', '');
        store.tasks.markApplied(store.tasks.chainOf(taskId));
        const data = { snapshot: content, paths: applied.value.paths };
        store.events.append({ type: 'task.applied', roomId: room.id, taskId, data });
      });
    });
    return applied;
  }

  #applicable(taskId: TaskId): Result<Applicable> {
    const { store } = this.#parts;
    const task = store.tasks.load(taskId);
    const room = task === null ? null : store.rooms.byId(task.roomId);
    const base = store.tasks.applyBaseOf(taskId);
    if (task === null || room === null) throw new Error(`There is no task ${taskId} to apply.`);
    const content = finishedContent(task);
    if (content === null || base === null) {
      return err({
        tag: 'nothing_to_apply',
        message: `Task ${taskId} has no finished content to apply: it is ${task.ending ?? task.state}.`,
        next: `Look at it with \`tribune show ${taskId}\`.`,
      });
    }
    if (task.terms.direct) {
      return err({
        tag: 'nothing_to_apply',
        message: `Room ${room.name} works in ${room.settings.directory} directly, so the work is there already.`,
      });
    }
    return ok({ room, base, content });
  }
}
