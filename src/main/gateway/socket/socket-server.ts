import { createServer } from 'node:net';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { Connection } from './connection.ts';
import type { Reached } from './connection.ts';
import { listenAt, removeSocketFile } from './socket-file.ts';
import type { SocketFailure } from './socket-file.ts';

export interface SocketServer {
  /** Resolves when no client is connected; null where none is now. */
  idle(): Promise<void> | null;
  /** Says goodbye to every client, and takes the socket away. */
  close(): Promise<void>;
}

/** How long a client may take to read the last lines when the host shuts down. */
const GOODBYE_MS = 500;

/** Answers clients at a socket (see `socketPathFor`) until it is closed. */
export async function serveSocket(
  options: Reached & { readonly path: string; readonly clock: Clock },
): Promise<Result<SocketServer, SocketFailure>> {
  const { path, clock } = options;
  const connections = new Set<Connection>();
  const waiting = new Set<() => void>();
  const left = (connection: Connection): void => {
    connections.delete(connection);
    if (connections.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new Connection(socket, options);
    connections.add(connection);
    socket.once('close', () => {
      left(connection);
    });
  });
  const listening = await listenAt(server, path);
  if (!listening.ok) return err(listening.failure);
  return ok({
    idle: () => (connections.size === 0 ? null : new Promise((resolve) => waiting.add(resolve))),
    close: async () => {
      removeSocketFile(path);
      for (const connection of connections) connection.close('The host is shutting down.');
      const cancel = clock.after(GOODBYE_MS, () => {
        for (const connection of connections) connection.cut();
      });
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      cancel();
    },
  });
}
