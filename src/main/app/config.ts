import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { engineSettingsSchema } from '../../shared/contract/room.ts';
import { describeIssues } from '../../shared/kernel/issues.ts';
import { err, messageOf, ok } from '../../shared/kernel/result.ts';
import type { Failure, Result } from '../../shared/kernel/result.ts';
import { systemErrorCode } from '../../shared/kernel/system-error.ts';

/** The model of a role for which nobody has chosen one. */
const DEFAULT_MODEL = 'claude-sonnet-5-5';
const defaultEngine = { engine: 'anthropic', model: DEFAULT_MODEL } as const;

/** The host's own settings, from `config.json` in its data directory. */
const configSchema = z.strictObject({
  /** Engines for the roles that a room leaves open; `"arbiter": null` is a host without one. */
  roles: z
    .strictObject({
      owner: engineSettingsSchema.prefault(defaultEngine),
      reviewer: engineSettingsSchema.prefault(defaultEngine),
      arbiter: engineSettingsSchema.nullable().prefault(defaultEngine),
    })
    .prefault({}),
  /** Most turns at once over all rooms; one of them is kept for a person's message. */
  turnsAtOnce: z.int().min(1).max(100).default(5),
});

export type Config = z.infer<typeof configSchema>;

export interface ConfigFailure extends Failure {
  readonly tag: 'bad_config';
}

/** Reads the host's settings; without a file they are the defaults. */
export function readConfig(dataDirectory: string): Result<Config, ConfigFailure> {
  const path = join(dataDirectory, 'config.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return ok(configSchema.parse({}));
    return bad(path, messageOf(thrown));
  }
  try {
    const parsed = configSchema.safeParse(JSON.parse(text));
    return parsed.success ? ok(parsed.data) : bad(path, `${describeIssues(parsed.error)}.`);
  } catch (thrown) {
    return bad(path, messageOf(thrown));
  }
}

function bad(path: string, problem: string): Result<never, ConfigFailure> {
  return err({
    tag: 'bad_config',
    message: `${path} cannot be used: ${problem}`,
    next: 'Correct or remove the file; docs/configuration.md lists the settings.',
  });
}
