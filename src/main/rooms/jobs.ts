import { z } from 'zod';
import type { Task } from '../domain/tribunal/task.ts';
import type { Job, NewJob } from '../store/jobs.ts';

/** What waits in the jobs table: a try of a turn, keeping the content of a task that was stopped, removing the worktree of one that has ended. */
const workSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('turn'), number: z.int(), attempt: z.int() }),
  z.object({ kind: z.literal('keep_content') }),
  z.object({ kind: z.literal('clear_place') }),
]);

export type Work = z.infer<typeof workSchema>;

/** The job that carries this work. A second one under the same key is the same job. */
export function jobFor(work: Work, task: Task, runAt: number, idempotencyKey: string): NewJob {
  return { kind: work.kind, roomId: task.roomId, taskId: task.id, payload: work, runAt, idempotencyKey };
}

/** What a stored job asks for. Throws where it is none of ours: the database and this program do not fit. */
export function workOf(job: Job): Work {
  return workSchema.parse(job.payload);
}
