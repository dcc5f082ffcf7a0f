import { chmodSync, chownSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import type { ListenOptions } from 'node:net';
import { join } from 'node:path';
import { err, messageOf, ok } from '../../shared/kernel/result.ts';
import type { Failure, Result } from '../../shared/kernel/result.ts';
import { http } from './http.ts';
import type { GateLimits } from './limits.ts';

/** A user of the system, by number. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Why no gate can be opened. */
export interface GateFailure extends Failure {
  /** `gate_blocked`: something else is where the socket has to be. */
  readonly tag: 'gate_path_too_long' | 'gate_blocked' | 'gate_failed';
}

/** The two ways in. */
export interface Listeners {
  readonly socketPath: string;
  /** On 127.0.0.1. */
  readonly port: number;
  /** Ends all connections; the socket goes with its server. */
  close(): Promise<void>;
}

const SOCKET_NAME = 'gate.sock';
const DIRECTORY_MODE = 0o700;
/** Another user may pass through to a socket of theirs, and see nothing else. */
const PASSABLE_MODE = 0o711;
const SOCKET_MODE = 0o600;

/** Most bytes of a socket's path: `sun_path` holds 104 on macOS and 108 on Linux, the closing zero among them. */
const MAX_PATH_BYTES = 103;

/**
 * Listens at a Unix socket in the directory, which is closed to all other users before the socket is in it, and on
 * a free port of the loopback. With a user, the socket becomes that user's, who may pass through the directory.
 */
export async function openListeners(options: {
  readonly directory: string;
  readonly agentUser: SystemUser | null;
  readonly limits: GateLimits;
  readonly overSocket: RequestListener;
  readonly overLoopback: RequestListener;
}): Promise<Result<Listeners, GateFailure>> {
  const { directory, agentUser, limits } = options;
  const socketPath = join(directory, SOCKET_NAME);
  const socket = serverWith(limits, options.overSocket);
  const loopback = serverWith(limits, options.overLoopback);
  const close = async (): Promise<void> => {
    await Promise.all([closed(socket), closed(loopback)]);
  };
  try {
    const place = makePlace(directory, socketPath);
    if (!place.ok) return place;
    await listening(socket, { path: socketPath });
    chmodSync(socketPath, SOCKET_MODE);
    if (agentUser !== null) {
      chownSync(socketPath, agentUser.uid, agentUser.gid);
      chmodSync(directory, PASSABLE_MODE);
    }
    await listening(loopback, { port: 0, host: '127.0.0.1' });
    return ok({ socketPath, port: portOf(loopback), close });
  } catch (thrown) {
    await close();
    return err({
      tag: 'gate_failed',
      message: `The gate of agents cannot listen in ${directory}: ${messageOf(thrown)}.`,
      next: 'Choose another data directory with TRIBUNE_HOME.',
    });
  }
}

function makePlace(directory: string, socketPath: string): Result<void, GateFailure> {
  if (Buffer.byteLength(socketPath) > MAX_PATH_BYTES) {
    return err({
      tag: 'gate_path_too_long',
      message: `${socketPath} is too long for a socket's path: ${MAX_PATH_BYTES} bytes are the most.`,
      next: 'Choose a data directory with a shorter path, with TRIBUNE_HOME.',
    });
  }
  mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
  const blocking = lstatSync(directory).isDirectory() ? occupantOf(socketPath) : directory;
  if (blocking !== null) {
    return err({
      tag: 'gate_blocked',
      message: `The gate of agents listens at ${socketPath}, but ${blocking} is something else.`,
      next: `Move ${blocking} away.`,
    });
  }
  chmodSync(directory, DIRECTORY_MODE);
  // Of a host that died: the store's lock lets only one live in a data directory.
  rmSync(socketPath, { force: true });
  return ok(undefined);
}

function occupantOf(socketPath: string): string | null {
  const occupant = lstatSync(socketPath, { throwIfNoEntry: false });
  return occupant === undefined || occupant.isSocket() ? null : socketPath;
}

function serverWith(limits: GateLimits, listener: RequestListener): Server {
  return http.createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.headersMs,
      keepAliveTimeout: limits.idleConnectionMs,
    },
    listener,
  );
}

function listening(server: Server, at: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The loopback listener has no port.');
  return address.port;
}

/** A server that never listened is closed already. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
