import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** Where a turn's runner is waited for. */
export interface TurnChannel {
  readonly address: string;
  /** The runner's end, once it has come; nobody else is let in afterwards. Never resolves where it does not come. */
  readonly connected: Promise<Socket>;
  /** Waits no longer. */
  close(): void;
}

/** Listens in a folder that only this user can enter; on Windows at a named pipe. Rejects where that is not possible. */
export async function listenForRunner(folder: string, token: string): Promise<TurnChannel> {
  const address =
    process.platform === 'win32' ? `\\\\.\\pipe\\tribune-turn-${token}` : join(folder, token.slice(0, 8));
  const server = createServer();
  const connected = new Promise<Socket>((resolve) => {
    server.once('connection', (socket) => {
      // Takes the socket's file away too.
      server.close();
      resolve(socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  return {
    address,
    connected,
    close: () => {
      server.close();
    },
  };
}
