import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../shared/kernel/system-error.ts';

const installIdSchema = z.uuid();

/** Tells what this install has made, such as containers, from what others have: random, and kept in its data directory. */
export function installIdOf(dataDirectory: string): string {
  const path = join(dataDirectory, 'install-id');
  const kept = installIdSchema.safeParse(textOf(path));
  if (kept.success) return kept.data;
  const id = randomUUID();
  writeFileSync(path, id);
  return id;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}
