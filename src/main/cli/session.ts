import { err, ok } from '../../shared/kernel/result.ts';
import type { Failure, Result } from '../../shared/kernel/result.ts';
import type { Service } from '../../shared/contract/service.ts';
import { socketPathFor } from '../gateway/socket/socket-path.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { connectSocket } from './socket-client.ts';
import type { SocketClient } from './socket-client.ts';

/** How long a host that does not answer is waited for: three seconds. */
const ATTEMPTS = 30;
const PAUSE_MS = 100;

/** A host that a command talks to. */
export interface Session {
  readonly service: Service;
  /** Whether the host is one of its own, which goes on when the command ends. */
  readonly running: boolean;
  /** Where a running host was reached; null for one in this process. */
  readonly socketPath: string | null;
  close(): Promise<void>;
}

/**
 * What a command needs: a host that works on tasks, one that only answers, or one that was running before.
 * The first two are opened in this process where none is running.
 */
export type Need = 'work' | 'look' | 'running';

/** Does something with a host, and lets go of it. A failure is shown, and gives its exit code. */
export async function withHost(
  context: Context,
  need: Need,
  work: (session: Session) => Promise<Result<ExitCode>>,
): Promise<ExitCode> {
  const session = await openSession(context, need);
  if (!session.ok) {
    context.screen.fail(session.failure);
    return exitCodes.noHost;
  }
  try {
    const outcome = await work(session.value);
    if (outcome.ok) return outcome.value;
    context.screen.fail(outcome.failure);
    return exitCodeOfFailure(outcome.failure);
  } finally {
    await session.value.close();
  }
}

/**
 * Connects to the running host, or opens one. A host that has the data directory and does not answer is waited
 * for: it may be starting or ending, or be another command's for a moment.
 */
async function openSession(context: Context, need: Need): Promise<Result<Session>> {
  const path = socketPathFor(context.dataDirectory);
  for (let attempt = 1; ; attempt += 1) {
    const client = await connectSocket(path);
    if (client.ok) return ok(sessionOver(client.value, path));
    if (client.failure.tag === 'host_unreachable') return client;
    if (need === 'running') return err(noHost(context));
    const opened = await openInProcess(context, need);
    if (opened.ok || opened.failure.tag !== 'another_host') return opened;
    if (attempt === ATTEMPTS || context.interruption.aborted) return err(silentHost(context, path));
    await context.pause(PAUSE_MS);
  }
}

function sessionOver(client: SocketClient, socketPath: string): Session {
  return { service: client, running: true, socketPath, close: () => client.close() };
}

async function openInProcess(context: Context, need: Need): Promise<Result<Session>> {
  const { dataDirectory, environment, screen, interruption } = context;
  const host = await context.openHost({ dataDirectory, environment, work: need === 'work' });
  if (!host.ok) return host;
  const { service } = host.value;
  return ok({
    service,
    running: false,
    socketPath: null,
    close: async () => {
      const idle = host.value.idle();
      if (idle !== null && !interruption.aborted) {
        screen.tell(['Another command uses this host; it goes on until that has ended.']);
        await Promise.race([idle, aborted(interruption)]);
      }
      const problems = await host.value.close();
      screen.tell(problems.map((problem) => screen.colours.yellow(problem)));
    },
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

function noHost({ dataDirectory }: Context): Failure {
  return {
    tag: 'no_host',
    message: `No host is running on the data directory ${dataDirectory}.`,
    next: 'Start one with `tribune start`, or name its data directory with TRIBUNE_HOME.',
  };
}

function silentHost({ dataDirectory }: Context, path: string): Failure {
  return {
    tag: 'host_unreachable',
    message: `A host has the data directory ${dataDirectory}, but does not answer at ${path}.`,
    next: 'Another command may be at work there: try again in a moment. If it stays so, end that process.',
  };
}

function exitCodeOfFailure({ tag }: Failure): ExitCode {
  if (tag === 'usage' || tag === 'bad_params') return exitCodes.usage;
  return tag === 'connection_lost' ? exitCodes.noHost : exitCodes.failed;
}
