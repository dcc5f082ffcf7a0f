import { describeFailure } from '../../shared/kernel/result.ts';
import type { Lease } from '../store/jobs.ts';
import type { Parts } from './parts.ts';
import { openOwnerPlace } from './turn/place.ts';

/** Keeps what a task that was stopped or superseded had in its worktree, as a snapshot. */
export async function keepContent(parts: Parts, lease: Lease): Promise<void> {
  const { store, steps } = parts;
  const task = lease.job.taskId === null ? null : store.tasks.load(lease.job.taskId);
  const room = task === null ? null : store.rooms.byId(task.roomId);
  if (task === null || room === null || task.base === null) {
    store.jobs.complete(lease);
    return;
  }
  const open = await openOwnerPlace(parts, parts.workspaceOf(room), task, task.base);
  const kept = open.ok ? await open.value.snapshot() : open;
  steps.now('content.kept', () => {
    store.transaction(() => {
      store.jobs.complete(lease);
      if (!kept.ok) {
        const data = { reason: describeFailure(kept.failure) };
        store.events.append({ type: 'content.lost', roomId: room.id, taskId: task.id, data });
        return;
      }
      const { id, leftOut } = kept.value;
      store.snapshots.record({ id, roomId: room.id, taskId: task.id, kind: 'kept', leftOut });
      store.events.append({ type: 'content.kept', roomId: room.id, taskId: task.id, data: { snapshot: id } });
    });
  });
}
