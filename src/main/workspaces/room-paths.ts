import path from 'node:path';
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
  worktree(task: TaskId): string;
  task(task: TaskId): string;
  record(task: TaskId): string;
  index(task: TaskId): string;
  rules(task: TaskId): string;
}

export function roomPaths(root: string): RoomPaths {
  const task = (id: TaskId): string => path.join(root, 'tasks', id);
  return {
    root,
    store: path.join(root, 'snapshots.git'),
    directoryIndex: path.join(root, 'directory', 'index'),
    directoryRules: path.join(root, 'directory', 'rules'),
    personalRules: path.join(root, 'directory', 'personal-rules'),
    cacheRules: path.join(root, 'directory', 'cache-rules'),
    applyIntent: path.join(root, 'apply', 'intent.json'),
    scratch: path.join(root, 'scratch'),
    worktree: (id) => path.join(root, 'worktrees', id),
    task,
    record: (id) => path.join(task(id), 'record.json'),
    index: (id) => path.join(task(id), 'index'),
    rules: (id) => path.join(task(id), 'rules'),
  };
}
