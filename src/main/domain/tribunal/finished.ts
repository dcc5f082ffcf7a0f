import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import { doneEndings } from '../../../shared/vocabulary/words.ts';
import type { Task } from './task.ts';

const done: ReadonlySet<string | null> = new Set(doneEndings);

/**
 * The content that a task came to: by being done, what was approved or, in a room without a review, what its owner
 * made; by giving way to a newer one, what was approved. Null where the task was stopped, goes on, or left nothing.
 */
export function finishedContent(task: Pick<Task, 'ending' | 'approved' | 'content'>): SnapshotId | null {
  if (task.ending === 'superseded') return task.approved;
  return done.has(task.ending) ? (task.approved ?? task.content) : null;
}

/**
 * Whether a person can still bring the task's content into their directory. Where the owner worked in it directly,
 * it is there already.
 */
export function isApplicable(
  task: Pick<Task, 'ending' | 'approved' | 'content' | 'terms'>,
  appliedAt: number | null,
): boolean {
  return !task.terms.direct && appliedAt === null && finishedContent(task) !== null;
}
