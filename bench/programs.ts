import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { connectSocket } from '../src/main/cli/socket-client.ts';
import { socketPathFor } from '../src/main/gateway/socket/socket-path.ts';
import type { Service } from '../src/shared/contract/service.ts';
import { describeFailure } from '../src/shared/kernel/result.ts';
import type { Result } from '../src/shared/kernel/result.ts';
import type { Scratch } from './scratch.ts';

const built = resolve(import.meta.dirname, '../out/main');

/** The built command line, as npm's script and an installed `tribune` run it. */
export const builtCommand = join(built, 'tribune.js');

/** How long a program takes from its start to its end, in milliseconds. */
export async function runMs(...args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code ?? 'a signal'}.`);
  return performance.now() - startedAt;
}

/** The built host as a process of its own. */
export interface HostProcess {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly service: Service;
  /** From its start until it said that it runs. */
  readonly readyMs: number;
}

/** Starts the built host, as `tribune start` does, and connects to its socket. */
export async function startHost(
  scratch: Scratch,
  dataDirectory: string,
  modelUrl: string,
): Promise<HostProcess> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [builtCommand, 'start'], {
    env: {
      ...process.env,
      TRIBUNE_HOME: dataDirectory,
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'any',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  scratch.scope.add('the host process', () => endProcess(child, 'SIGINT'));
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(failToStart)]);
  const readyMs = performance.now() - startedAt;
  const service = valueOf(await connectSocket(socketPathFor(dataDirectory)));
  scratch.scope.add('the connection', () => service.close());
  return { process: child, pid: child.pid ?? 0, service, readyMs };
}

function failToStart(): never {
  throw new Error('The host ended before it said that it runs.');
}

export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** A measurement has no use for a failure: it ends the run. */
export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(describeFailure(result.failure));
  return result.value;
}
