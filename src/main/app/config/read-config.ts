import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeIssues } from '../../../shared/kernel/issues.ts';
import { err, messageOf, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import { systemErrorCode } from '../../../shared/kernel/system-error.ts';
import { configSchema } from './schema.ts';
import type { Config } from './schema.ts';

/** The file is there, and is not settings. */
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
