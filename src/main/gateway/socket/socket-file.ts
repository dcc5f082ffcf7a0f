import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { err, messageOf, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import { checkPlace, NEW_SOCKET_SUFFIX, socketPlaceHere } from './socket-path.ts';

const DIRECTORY_MODE = 0o700;
const SOCKET_MODE = 0o600;

export interface SocketFailure extends Failure {
  readonly tag: 'socket_in_use' | 'socket_blocked' | 'socket_unsafe' | 'socket_failed';
}

/**
 * Lets a server listen at a path that is closed to other users from the moment it exists: the socket is made
 * under another name, in a directory that only this user can enter, and moved to its own when it is ready.
 * That takes the place of a dead host's socket, never of a live one's, and of no other kind of file.
 */
export async function listenAt(server: Server, path: string): Promise<Result<void, SocketFailure>> {
  if (socketPlaceHere.platform === 'win32') return listen(server, path);
  const place = makePlace(path);
  if (!place.ok) return place;
  if (await answersAt(path)) {
    return err({
      tag: 'socket_in_use',
      message: `Another host is listening at ${path}.`,
      next: 'Use that host, or stop it first.',
    });
  }
  const newPath = path + NEW_SOCKET_SUFFIX;
  rmSync(newPath, { force: true });
  const listening = await listen(server, newPath);
  if (!listening.ok) return listening;
  try {
    chmodSync(newPath, SOCKET_MODE);
    renameSync(newPath, path);
    return ok(undefined);
  } catch (cause) {
    server.close();
    return failed(path, cause);
  }
}

/** Takes the socket away; a named pipe goes by itself. */
export function removeSocketFile(path: string): void {
  if (socketPlaceHere.platform !== 'win32') rmSync(path, { force: true });
}

function makePlace(path: string): Result<void, SocketFailure> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
    const place = checkPlace(path);
    if (!place.ok) return place;
    const occupant = lstatSync(path, { throwIfNoEntry: false });
    if (occupant === undefined || occupant.isSocket()) return ok(undefined);
    return err({
      tag: 'socket_blocked',
      message: `${path} is where the host listens, but something that is no socket is there.`,
      next: 'Move it away.',
    });
  } catch (cause) {
    return failed(path, cause);
  }
}

/** Whether somebody accepts connections at the path. */
function answersAt(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => {
      resolve(false);
    });
  });
}

function listen(server: Server, path: string): Promise<Result<void, SocketFailure>> {
  return new Promise((resolve) => {
    const onError = (cause: Error): void => {
      resolve(failed(path, cause));
    };
    server.once('error', onError);
    server.listen(path, () => {
      server.off('error', onError);
      resolve(ok(undefined));
    });
  });
}

function failed(path: string, cause: unknown): Result<never, SocketFailure> {
  return err({
    tag: 'socket_failed',
    message: `The host cannot listen at ${path}: ${messageOf(cause)}.`,
    next: 'Choose another data directory with TRIBUNE_HOME.',
  });
}
