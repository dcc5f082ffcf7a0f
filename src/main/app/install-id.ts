import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../shared/kernel/system-error.ts';

const installIdSchema = z.uuid();

/** Whether this install has an id, and so may have made something that is told by it. */
export function hasInstallId(dataDirectory: string): boolean {
  return existsSync(pathIn(dataDirectory));
}

/**
 * Tells what this install has made, such as containers, from what others have: random, and kept in its data directory
 * from when it is first needed.
 */
export function installIdOf(dataDirectory: string): string {
  const path = pathIn(dataDirectory);
  const kept = installIdSchema.safeParse(textOf(path));
  if (kept.success) return kept.data;
  const id = randomUUID();
  writeFileSync(path, id);
  return id;
}

function pathIn(dataDirectory: string): string {
  return join(dataDirectory, 'install-id');
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}
