import { rm } from 'node:fs/promises';
import { z } from 'zod';
import type { Result } from '../../../shared/kernel/result.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import type { BytePath } from '../git/byte-path.ts';
import { readJsonFile } from '../json-file.ts';
import type { Change } from './plan-apply.ts';

const entrySchema = z.strictObject({ mode: z.string(), object: z.string() }).nullable();
const bytePathSchema = z.custom<BytePath>((value) => typeof value === 'string');

/** What is about to be done to the person's directory; what was there before is in the store. */
const applyIntentSchema = z.strictObject({
  changes: z.array(
    z.strictObject({
      path: bytePathSchema,
      temporary: bytePathSchema,
      before: entrySchema,
      after: entrySchema,
    }),
  ),
});

export type ApplyIntent = z.infer<typeof applyIntentSchema>;
export type IntendedChange = ApplyIntent['changes'][number];

/** Deletions come first, deepest first, so that a file can be where a folder was. */
export function intentOf(changes: readonly Change[]): ApplyIntent {
  const ordered = [
    ...changes
      .filter((change) => change.after === null)
      .sort((one, other) => (one.path < other.path ? 1 : -1)),
    ...changes
      .filter((change) => change.after !== null)
      .sort((one, other) => (one.path < other.path ? -1 : 1)),
  ];
  return {
    changes: ordered.map((change, at) => ({
      ...change,
      temporary: besides(change.path, `.tribune-${at}-new`),
    })),
  };
}

function besides(path: BytePath, name: string): BytePath {
  return `${path.slice(0, path.lastIndexOf('/') + 1)}${name}` as BytePath;
}

/** Null where no apply is unfinished. */
export function readIntent(file: string): Promise<Result<ApplyIntent | null, WorkspaceFailure>> {
  const next =
    'An apply was cut short. See with "git diff" what it changed in the directory, put that right, then remove this file.';
  return readJsonFile(file, applyIntentSchema, next);
}

export async function forgetIntent(file: string): Promise<void> {
  await rm(file, { force: true });
}
