import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';

/** Most bytes of a socket's path: `sun_path` holds 104 on macOS and 108 on Linux, the closing zero among them. */
const MAX_PATH_BYTES = 103;

/** Under its own name and this the socket is made, before it is moved to where clients look. */
export const NEW_SOCKET_SUFFIX = '.new';

/** The same for a host and its clients, whatever TMPDIR either was started with. */
const SHORT_DIRECTORY = '/tmp';

const HASH_CHARACTERS = 16;

/** What the path depends on beside the data directory. */
export interface SocketPlace {
  readonly platform: NodeJS.Platform;
  /** The user's number; null on Windows. */
  readonly userId: number | null;
}

export const socketPlaceHere: SocketPlace = {
  platform: process.platform,
  userId: process.getuid?.() ?? null,
};

/**
 * Where the host of a data directory (an absolute path) listens: `host.sock` in it. Where that is too long for
 * a socket's path, in a directory of this user's own under /tmp, named by the data directory's hash; on Windows
 * at a named pipe, named the same way.
 */
export function socketPathFor(dataDirectory: string, place: SocketPlace = socketPlaceHere): string {
  if (place.platform === 'win32') {
    return `\\\\.\\pipe\\tribune-${hashOf(win32.normalize(dataDirectory).toLowerCase())}`;
  }
  const path = posix.join(dataDirectory, 'host.sock');
  if (Buffer.byteLength(path + NEW_SOCKET_SUFFIX) <= MAX_PATH_BYTES) return path;
  return posix.join(SHORT_DIRECTORY, `tribune-${place.userId ?? 0}-${hashOf(dataDirectory)}`, 'host.sock');
}

export interface UnsafePlace extends Failure {
  readonly tag: 'socket_unsafe';
}

/** Whether the directory of a socket is this user's, and only this user can enter it, where there is one. */
export function checkPlace(path: string): Result<void, UnsafePlace> {
  if (socketPlaceHere.platform === 'win32') return ok(undefined);
  const directory = posix.dirname(path);
  const found = lstatSync(directory, { throwIfNoEntry: false });
  const own =
    found === undefined ||
    (found.isDirectory() && found.uid === socketPlaceHere.userId && (found.mode & 0o077) === 0);
  if (own) return ok(undefined);
  return err({
    tag: 'socket_unsafe',
    message: `The directory ${directory} of the host's socket can be entered by other users.`,
    next: `Close it to them (chmod 700 ${directory}), or choose another data directory with TRIBUNE_HOME.`,
  });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);
}
