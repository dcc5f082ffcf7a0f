import { z } from 'zod';
import type { Result } from '../../shared/kernel/result.ts';
import type { WorkspaceFailure } from '../ports/workspace.ts';
import type { Git } from './git/git-process.ts';
import { ProjectRepository } from './git/project-repository.ts';
import { readJsonFile } from './json-file.ts';

const checkoutSchema = z.strictObject({
  topLevel: z.string(),
  gitDirectory: z.string(),
  commonDirectory: z.string(),
  objectFormat: z.string(),
});

/** What was settled when a task's place of work was made. Written last, so its presence says that the place is whole. */
const taskRecordSchema = z.strictObject({
  directory: z.string(),
  /** The snapshot that the task began with. */
  base: z.string(),
  /** The worktree; null where the directory itself is worked in. */
  worktree: z
    .strictObject({
      checkout: checkoutSchema,
      branch: z.string(),
      /** The commit that the branch began at; null before the first one. */
      head: z.string().nullable(),
    })
    .nullable(),
  /** See `Place.always`; bytes as characters. */
  always: z.array(z.string()),
});

export type TaskRecord = z.infer<typeof taskRecordSchema>;

/** Null where there is none. One that is damaged is no reason to make the place anew, for an owner's work is in it. */
export function readTaskRecord(file: string): Promise<Result<TaskRecord | null, WorkspaceFailure>> {
  const next =
    'Copy what you want to keep out of the worktree of the task, then remove this file: the worktree is made anew.';
  return readJsonFile(file, taskRecordSchema, next);
}

export function worktreeOf(git: Git, record: TaskRecord): ProjectRepository | null {
  return record.worktree === null ? null : new ProjectRepository(git, record.worktree.checkout);
}
