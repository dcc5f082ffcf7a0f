import { err, messageOf } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { systemErrorCode } from '../../../shared/kernel/system-error.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';

/** Git's words are kept to this many characters in a message. */
const MAX_DETAIL_CHARACTERS = 600;

/** What an exit code that no one expected means, told from what git printed (in the C locale). */
export function failureOfGit(args: readonly string[], exit: number, errors: string): WorkspaceFailure {
  const detail = errors.trim().slice(-MAX_DETAIL_CHARACTERS);
  if (/No space left on device|Disk quota exceeded/.test(errors)) {
    return {
      tag: 'disk_full',
      message: `The disk is full: ${detail}`,
      next: 'Free some space, then try again.',
    };
  }
  // Where it checks files out, git does not say why it could not write one that it could make.
  if (/unable to write file/.test(errors)) {
    return {
      tag: 'disk_full',
      message: `A file could not be written, most likely because the disk is full: ${detail}`,
      next: 'Free some space, then try again.',
    };
  }
  const gone = /not a git repository: '?(.+?)'?$/m.exec(errors)?.[1];
  if (gone !== undefined) {
    return {
      tag: 'missing',
      message: `The repository that the work belongs to is not where it was: ${gone} is not there.`,
      next: 'Put it back, then try again.',
    };
  }
  if (/Read-only file system/.test(errors)) {
    return {
      tag: 'read_only',
      message: `The file system is read-only: ${detail}`,
      next: 'Make it writable, then try again.',
    };
  }
  const unreadable =
    /open\("(.+)"\): Permission denied|could not open directory '(.+)': Permission denied/.exec(errors);
  if (unreadable !== null) return unreadableFile(unreadable[1] ?? unreadable[2] ?? '');
  // Of the folder of a branch, git does not say why it could not make it.
  if (/Permission denied|unable to create directory for/.test(errors)) {
    return {
      tag: 'read_only',
      message: `No permission: ${detail}`,
      next: 'Give yourself access to it, then try again.',
    };
  }
  return {
    tag: 'git_failed',
    message: `"git ${commandIn(args)}" failed with exit code ${exit}: ${detail === '' ? 'it said nothing' : detail}`,
    next: 'Run "git fsck" in the directory to see whether the repository is sound, then try again.',
  };
}

/** A file that belongs to the content can't be read, so no snapshot can be taken. */
function unreadableFile(path: string): WorkspaceFailure {
  return {
    tag: 'unreadable',
    message: `"${path}" can't be read, so no snapshot can hold it.`,
    next: 'Make it readable, or have git ignore it before the next task starts.',
    paths: [path],
  };
}

/** A failure of the file system itself, for whatever was done to `what`. */
export function failureOfFileSystem(what: string, cause: unknown): WorkspaceFailure {
  const detail = messageOf(cause);
  switch (systemErrorCode(cause) ?? '') {
    case 'ENOSPC':
    case 'EDQUOT':
      return {
        tag: 'disk_full',
        message: `The disk is full: ${what} (${detail}).`,
        next: 'Free some space, then try again.',
      };
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return {
        tag: 'read_only',
        message: `No permission: ${what} (${detail}).`,
        next: 'Give yourself access to it, then try again.',
      };
    default:
      return {
        tag: 'git_failed',
        message: `Failed: ${what} (${detail}).`,
        next: 'See whether the disk is sound, then try again.',
      };
  }
}

/** Runs work, and makes what the file system refuses a failure like any other; a bug is thrown on. */
export async function attempt<T>(
  what: string,
  work: () => Promise<Result<T, WorkspaceFailure>>,
): Promise<Result<T, WorkspaceFailure>> {
  try {
    return await work();
  } catch (thrown) {
    if (systemErrorCode(thrown) === null) throw thrown;
    return err(failureOfFileSystem(what, thrown));
  }
}

/** The directory that work is in, or was to be done in, is gone. */
export function missingDirectory(directory: string): WorkspaceFailure {
  return {
    tag: 'missing',
    message: `The directory ${directory} is not there.`,
    next: 'Make it again, or give the room another directory.',
  };
}

/** The command among git's arguments, which its settings come before. */
export function commandIn(args: readonly string[]): string {
  return args.find((word, at) => !word.startsWith('-') && args[at - 1] !== '-c') ?? '';
}
