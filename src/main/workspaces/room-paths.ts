import { join } from 'node:path';
import type { TaskId } from '../../shared/vocabulary/ids.ts';

/** Where a room's data directory holds what. */
export interface RoomPaths {
  readonly root: string;
  readonly store: string;
  readonly directoryIndex: string;
  readonly directoryRules: string;
  readonly personalRules: string;
  /** Rules from caches in the person's directory that ignore themselves. */
  readonly cacheRules: string;
  readonly applyIntent: string;
  readonly scratch: string;
  /** Snapshots as files, for containers to mount. */
  readonly laidOut: string;
  /** What is known of each of those, and those that are not whole yet. */
  readonly layingOut: string;
  /** Those that are on their way to be removed. */
  readonly laidOutRemoved: string;
  worktree(task: TaskId): string;
  task(task: TaskId): string;
  record(task: TaskId): string;
  index(task: TaskId): string;
  rules(task: TaskId): string;
}

export function roomPaths(root: string): RoomPaths {
  const task = (id: TaskId): string => join(root, 'tasks', id);
  return {
    root,
    store: join(root, 'snapshots.git'),
    directoryIndex: join(root, 'directory', 'index'),
    directoryRules: join(root, 'directory', 'rules'),
    personalRules: join(root, 'directory', 'personal-rules'),
    cacheRules: join(root, 'directory', 'cache-rules'),
    applyIntent: join(root, 'apply', 'intent.json'),
    scratch: join(root, 'scratch'),
    laidOut: join(root, 'laid-out'),
    layingOut: join(root, 'laying-out'),
    laidOutRemoved: join(root, 'laid-out-removed'),
    worktree: (id) => join(root, 'worktrees', id),
    task,
    record: (id) => join(task(id), 'record.json'),
    index: (id) => join(task(id), 'index'),
    rules: (id) => join(task(id), 'rules'),
  };
}
