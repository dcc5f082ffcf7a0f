import { readFileSync, statSync } from 'node:fs';
import { err, messageOf, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { Secret } from '../../../shared/kernel/secret.ts';
import { systemErrorCode } from '../../../shared/kernel/system-error.ts';
import type { AccountFailure } from '../../ports/accounts.ts';
import type { KeySource } from './schema.ts';

/** Reads a key from where it is kept. */
export function readKey(source: KeySource, environment: NodeJS.ProcessEnv): Result<Secret, AccountFailure> {
  if ('environment' in source) {
    const value = environment[source.environment]?.trim() ?? '';
    return value === ''
      ? err({
          tag: 'key_missing',
          message: `${source.environment} is not set, which has to hold the key.`,
          next: `Set ${source.environment}, start the host again, and try again.`,
        })
      : ok(new Secret(value));
  }
  return readKeyFile(source.file);
}

function readKeyFile(path: string): Result<Secret, AccountFailure> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (thrown) {
    const missing = systemErrorCode(thrown) === 'ENOENT';
    return err({
      tag: missing ? 'key_missing' : 'key_unreadable',
      message: missing
        ? `The key file ${path} does not exist.`
        : `The key file ${path} cannot be read: ${messageOf(thrown)}.`,
      next: 'Put the key there, readable by your user alone, or change the account in config.json.',
    });
  }
  // A header takes no line breaks; what has some is no key.
  if (text === '' || /\s/.test(text)) {
    return err({
      tag: 'key_unreadable',
      message: `The key file ${path} does not hold a key: it is ${text === '' ? 'empty' : 'more than one word'}.`,
      next: 'Put the key there and nothing else.',
    });
  }
  return ok(new Secret(text));
}

/** What is wrong with how a key is kept; null where nothing is, or where it cannot be read anyway. */
export function keptBadly(source: KeySource): string | null {
  if ('environment' in source || process.platform === 'win32') return null;
  const mode = statSync(source.file, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o077) === 0
    ? null
    : `${source.file} can be read by others: run \`chmod 600 ${source.file}\``;
}
