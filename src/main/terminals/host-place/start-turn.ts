import { spawn, type IPty } from 'node-pty';
import { err, messageOf, ok, type Result } from '../../../shared/kernel/result.ts';
import type { CliFailure, CliLaunch, RunningCli } from '../../ports/coding-cli.ts';
import { MARK_VARIABLE, markOf, programEnvironment } from '../environment.ts';
import { missingDirectory } from '../missing-directory.ts';
import { COLUMNS, ROWS } from '../pseudo-terminal.ts';
import type { RunnerLaunch } from '../turn-runner/messages.ts';
import type { HostPlacesOptions } from './host-places.ts';
import { HostTurn } from './host-turn.ts';
import { listenForRunner, type TurnChannel } from './turn-channel.ts';

/** What is started, and where. */
export interface TurnStart {
  readonly launch: CliLaunch;
  readonly directory: string;
  /** A folder that only this user can enter. */
  readonly folder: string;
}

/** Starts a program under a turn runner, in a pseudo-terminal of its own. */
export async function startTurn(
  { launch, directory, folder }: TurnStart,
  signal: AbortSignal,
  options: HostPlacesOptions,
): Promise<Result<RunningCli, CliFailure>> {
  const missing = await missingDirectory(directory);
  if (missing !== null) return err({ ...missing, tag: 'start_failed' });
  const token = options.newToken();
  const mark = markOf(options.label, token);
  const order: RunnerLaunch = {
    program: launch.program,
    args: [...launch.args],
    directory,
    environment: {
      ...programEnvironment(options.environment, mark),
      PATH: await options.path(),
      ...launch.environment,
      [MARK_VARIABLE]: mark,
    },
    mark,
    graceMs: options.graceMs,
  };
  let channel: TurnChannel;
  let pty: IPty;
  try {
    channel = await listenForRunner(folder, token);
  } catch (cause) {
    return err(noTerminal(launch.program, messageOf(cause)));
  }
  try {
    const { program, args } = options.runner();
    // The runner needs nothing of ours; what the program gets goes over the channel, where nobody can read it.
    pty = spawn(program, [...args, channel.address], { cols: COLUMNS, rows: ROWS, env: RUNNER_ENVIRONMENT });
  } catch (cause) {
    channel.close();
    return err(noTerminal(launch.program, messageOf(cause)));
  }
  const turn = new HostTurn({ pty, channel, order, token, launch }, options);
  const stop = (): void => {
    turn.stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  void turn.ended.then(() => {
    signal.removeEventListener('abort', stop);
  });
  const failure = await turn.started;
  if (failure === null) return ok(turn);
  await turn.ended;
  return err(signal.aborted ? stoppedBefore(launch.program) : failure);
}

/** The runner needs nothing of ours; what the program gets goes over the channel, where nobody can read it. */
const RUNNER_ENVIRONMENT = { TERM: 'xterm-256color' } as const;

/** A program that was stopped before it ran. */
export function stoppedBefore(program: string): CliFailure {
  return { tag: 'stopped', message: `"${program}" was stopped before it had started.` };
}

function noTerminal(program: string, why: string): CliFailure {
  return {
    tag: 'start_failed',
    message: `A terminal for "${program}" could not be opened: ${why}.`,
    next: 'Check that the system has pseudo-terminals, processes and room for temporary files left.',
  };
}
