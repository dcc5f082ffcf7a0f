import { spawn, type IPty } from 'node-pty';
import { messageOf, ok, err, type Result } from '../../shared/kernel/result.ts';
import type { TerminalCommand, TerminalFailure, TerminalResult } from '../ports/terminal.ts';
import { CompletionReader, shellArguments } from './completion.ts';
import { markOf, programEnvironment } from './environment.ts';
import { KeptOutput } from '../../shared/kernel/kept-output.ts';
import { stopped, type TerminalsOptions } from './options.ts';
import { happensWithin } from './pause.ts';
import { plainText } from './plain-text.ts';
import { endTree } from './process-tree.ts';

/** The size that programs see: wide enough that they wrap few lines. */
export const COLUMNS = 160;
export const ROWS = 48;

type Ending =
  | { readonly kind: 'completed'; readonly exitCode: number }
  /** The shell itself is gone without a mark: killed by a signal (null), or it could not start. */
  | { readonly kind: 'lost'; readonly exitCode: number | null }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'stopped' };

/**
 * Runs a command line in a pseudo-terminal. When this returns, nothing that the command started runs any more:
 * what it left in the background ends with it.
 */
export async function runInPseudoTerminal(
  command: TerminalCommand,
  signal: AbortSignal,
  options: TerminalsOptions,
): Promise<Result<TerminalResult, TerminalFailure>> {
  const token = options.newToken();
  const mark = markOf(options.label, token);
  let pty: IPty;
  try {
    pty = spawn(options.shell, shellArguments(options.shell, command.command, token), {
      cwd: command.directory,
      cols: COLUMNS,
      rows: ROWS,
      env: programEnvironment(options.environment, mark),
    });
  } catch (cause) {
    return err(cannotOpen(command.command, messageOf(cause)));
  }

  const tree = { root: pty.pid, mark };
  const ended = options.running.add(tree);
  const kept = new KeptOutput(command.maxBytes);
  const exited = new Promise<number | null>((resolve) => {
    pty.onExit(({ exitCode, signal: by }) => {
      resolve(by === undefined || by === 0 ? exitCode : null);
    });
  });
  const ending = await new Promise<Ending>((resolve) => {
    const reader = new CompletionReader(token);
    const show = (output: string): void => {
      if (output === '') return;
      kept.add(output);
      command.onData(output);
    };
    pty.onData((data) => {
      const { output, exitCode } = reader.read(data);
      show(output);
      if (exitCode !== null) resolve({ kind: 'completed', exitCode });
    });
    void exited.then((exitCode) => {
      show(reader.rest());
      resolve({ kind: 'lost', exitCode });
    });
    const cancelTimeout = options.clock.after(command.timeoutMs, () => {
      resolve({ kind: 'timed_out' });
    });
    const stop = (): void => {
      resolve({ kind: 'stopped' });
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    void exited.then(() => {
      cancelTimeout();
      signal.removeEventListener('abort', stop);
    });
  });

  await endTree(tree, options.clock, options.graceMs);
  ended();
  // Something that we may not end can hold the terminal open; it keeps it, but not us.
  await happensWithin(options.clock, options.graceMs, exited);
  if (ending.kind === 'stopped') return err(stopped(command.command));
  if (ending.kind === 'lost' && ending.exitCode !== null) {
    return err(cannotOpen(command.command, `the shell "${options.shell}" did not start`));
  }
  return ok({
    exitCode: ending.kind === 'timed_out' ? null : ending.exitCode,
    output: plainText(kept.text()),
    truncated: kept.truncated,
    timedOut: ending.kind === 'timed_out',
  });
}

function cannotOpen(command: string, why: string): TerminalFailure {
  return {
    tag: 'spawn_failed',
    message: `A terminal for "${command}" could not be opened: ${why}.`,
    next: 'Check that the shell exists and that the system has pseudo-terminals and processes left.',
  };
}
