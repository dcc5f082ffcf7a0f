import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { isSecretShaped } from '../../../shared/kernel/secret-shapes.ts';
import type { FilesFailure } from '../../ports/workspace.ts';

/**
 * A path as an agent gave it, relative to the root with '/' between names; '' is the root itself. Refused where it
 * leaves the root or goes into git's own files.
 */
export function checkedPath(given: string): Result<string, FilesFailure> {
  const names = given.split('/').filter((name) => name !== '' && name !== '.');
  if (
    given.startsWith('/') ||
    /^[A-Za-z]:[\\/]/.test(given) ||
    names.includes('..') ||
    given.includes('\0')
  ) {
    return err({
      tag: 'outside',
      message: `"${given}" is outside of the work directory.`,
      next: 'Give a path relative to the work directory, without "..".',
    });
  }
  if (names.some((name) => name.toLowerCase() === '.git')) {
    return err({
      tag: 'outside',
      message: `"${given}" belongs to git, not to the content.`,
      next: 'Leave .git alone.',
    });
  }
  return ok(names.join('/'));
}

/** The same, for reading or writing a file: also refused where its name is that of a secret. */
export function checkedFilePath(given: string): Result<string, FilesFailure> {
  const path = checkedPath(given);
  return path.ok && isSecretShaped(path.value) ? err(secretFile(given)) : path;
}

export function secretFile(path: string): FilesFailure {
  return {
    tag: 'secret',
    message: `"${path}" has the name of a file with secrets, which no agent may read or write.`,
    next: 'Go on without it, or ask the person for what you need of it.',
  };
}

export function missingFile(path: string): FilesFailure {
  return { tag: 'missing', message: `There is no "${path}".`, next: 'List the folder to see what is there.' };
}

export function notADirectory(path: string): FilesFailure {
  return { tag: 'not_a_directory', message: `"${path}" is not a folder.`, next: 'Read it as a file.' };
}
