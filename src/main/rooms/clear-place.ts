import { describeFailure, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { SnapshotId } from '../../shared/vocabulary/ids.ts';
import type { Task } from '../domain/tribunal/task.ts';
import type { Lease } from '../store/jobs.ts';
import type { Room } from '../store/rooms.ts';
import type { Parts } from './parts.ts';
import { openOwnerPlace } from './turn/place.ts';

/** Removes what a task that has ended worked in: what it came to is in its snapshots. */
export async function clearPlace(parts: Parts, lease: Lease): Promise<void> {
  const { store } = parts;
  const task = lease.job.taskId === null ? null : store.tasks.load(lease.job.taskId);
  const room = task === null ? null : store.rooms.byId(task.roomId);
  if (task === null || room === null || task.base === null) {
    store.jobs.complete(lease);
    return;
  }
  const forgotten = await parts.workspaceOf(room).forgetLaidOut(() => snapshotsInUse(parts, room));
  const worktree = task.terms.direct ? null : await removeWorktree(parts, room, task, task.base);
  store.transaction(() => {
    store.jobs.complete(lease);
    const about = { roomId: room.id, taskId: task.id };
    if (worktree?.ok === true) store.events.append({ type: 'place.removed', ...about, data: {} });
    for (const result of [worktree, forgotten]) {
      if (result?.ok !== false) continue;
      const data = { reason: describeFailure(result.failure) };
      store.events.append({ type: 'place.left', ...about, data });
    }
  });
}

/** The snapshot on which those who judge work in the room's open task. */
function snapshotsInUse({ store }: Parts, room: Room): readonly SnapshotId[] {
  const open = store.tasks.openOf(room.id);
  const snapshot = open === null ? null : (open.content ?? open.base);
  return snapshot === null ? [] : [snapshot];
}

async function removeWorktree(parts: Parts, room: Room, task: Task, base: SnapshotId): Promise<Result<void>> {
  const open = await openOwnerPlace(parts, parts.workspaceOf(room), task, base);
  return open.ok ? parts.steps.later('place.removed', () => open.value.remove()) : ok(undefined);
}
