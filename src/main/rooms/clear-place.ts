import { describeFailure, ok } from '../../shared/kernel/result.ts';
import type { Lease } from '../store/jobs.ts';
import type { Parts } from './parts.ts';
import { openOwnerPlace } from './turn/place.ts';

/** Removes the worktree of a task that has ended: what it came to is in its snapshots. */
export async function clearPlace(parts: Parts, lease: Lease): Promise<void> {
  const { store, steps } = parts;
  const task = lease.job.taskId === null ? null : store.tasks.load(lease.job.taskId);
  const room = task === null ? null : store.rooms.byId(task.roomId);
  if (task === null || room === null || task.base === null || task.terms.direct) {
    store.jobs.complete(lease);
    return;
  }
  const open = await openOwnerPlace(parts, parts.workspaceOf(room), task, task.base);
  const removed = open.ok ? await steps.later('place.removed', () => open.value.remove()) : ok(undefined);
  store.transaction(() => {
    store.jobs.complete(lease);
    const about = { roomId: room.id, taskId: task.id };
    if (removed.ok) store.events.append({ type: 'place.removed', ...about, data: {} });
    else
      store.events.append({
        type: 'place.left',
        ...about,
        data: { reason: describeFailure(removed.failure) },
      });
  });
}
