import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Git } from './git/git-process.ts';
import { ProjectRepository } from './git/project-repository.ts';

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

/** Null where there is none, or none that can be read: the place is then made anew. */
export async function readTaskRecord(file: string): Promise<TaskRecord | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return taskRecordSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export async function writeTaskRecord(file: string, record: TaskRecord): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify(record));
  await rename(`${file}.new`, file);
}

export function worktreeOf(git: Git, record: TaskRecord): ProjectRepository | null {
  return record.worktree === null ? null : new ProjectRepository(git, record.worktree.checkout);
}
