import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { describeIssues } from '../../shared/kernel/issues.ts';
import { err, messageOf, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { ifThere } from '../../shared/kernel/system-error.ts';
import type { WorkspaceFailure } from '../ports/workspace.ts';

/**
 * What a file of ours holds; null where there is none. One that is damaged is a failure, for it may be all that tells
 * of someone's work; `next` says what the person can do about it.
 */
export async function readJsonFile<T>(
  file: string,
  schema: z.ZodType<T>,
  next: string,
): Promise<Result<T | null, WorkspaceFailure>> {
  const text = await ifThere(readFile(file, 'utf8'));
  if (text === null) return ok(null);
  const parsed = parseJson(text, schema);
  return parsed.ok
    ? parsed
    : err({ tag: 'git_failed', message: `${file} is damaged: ${parsed.failure.message}.`, next });
}

function parseJson<T>(text: string, schema: z.ZodType<T>): Result<T> {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? ok(parsed.data) : err({ tag: 'shape', message: describeIssues(parsed.error) });
  } catch (thrown) {
    return err({ tag: 'syntax', message: messageOf(thrown) });
  }
}

/** Replaces the file at once, and on disk for good. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(`${file}.new`, 'w');
  try {
    await handle.writeFile(JSON.stringify(value));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}
