import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { err, messageOf, ok, type Result } from '../../shared/kernel/result.ts';
import { systemErrorCode } from '../../shared/kernel/system-error.ts';
import type { PipedProgram, PipedResult, TerminalFailure } from '../ports/terminal.ts';
import { markOf, programEnvironment } from './environment.ts';
import { KeptOutput } from '../../shared/kernel/kept-output.ts';
import { stopped, type TerminalsOptions } from './options.ts';
import { happensWithin } from './pause.ts';
import { endTree } from './process-tree.ts';

type Ending = 'exited' | 'timed_out' | 'stopped' | { readonly failure: TerminalFailure };

/** Runs a program on pipes. When this returns, nothing that it started runs any more. */
export async function runOnPipes(
  program: PipedProgram,
  signal: AbortSignal,
  options: TerminalsOptions,
): Promise<Result<PipedResult, TerminalFailure>> {
  const mark = markOf(options.label, options.newToken());
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(program.program, program.args, {
      cwd: program.directory,
      env: programEnvironment(options.environment, mark),
      // A session of its own, so that a signal to it reaches nothing of ours.
      detached: true,
      stdio: 'pipe',
    });
  } catch (cause) {
    return err(cannotStart(program.program, cause));
  }

  const tree = child.pid === undefined ? null : { root: child.pid, mark };
  const ended = tree === null ? null : options.running.add(tree);
  const stdout = new KeptOutput(program.maxBytes);
  const stderr = new KeptOutput(program.maxBytes);
  keep(child.stdout, stdout, program);
  keep(child.stderr, stderr, program);
  // A program need not read its input: then the pipe breaks, which is no failure of ours.
  child.stdin.on('error', () => undefined);
  child.stdin.end(program.stdin);

  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
    });
  });
  const ending = await new Promise<Ending>((resolve) => {
    const cancelTimeout = options.clock.after(program.timeoutMs, () => {
      resolve('timed_out');
    });
    const stop = (): void => {
      resolve('stopped');
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    child.once('error', (cause) => {
      resolve({ failure: cannotStart(program.program, cause) });
    });
    child.once('exit', () => {
      resolve('exited');
    });
    void closed.then(() => {
      cancelTimeout();
      signal.removeEventListener('abort', stop);
    });
  });

  if (tree !== null) await endTree(tree, options.clock, options.graceMs);
  ended?.();
  // Something that we may not end can hold the pipes open; it keeps them, but not us.
  if (!(await happensWithin(options.clock, options.graceMs, closed))) {
    child.stdout.destroy();
    child.stderr.destroy();
  }
  if (typeof ending === 'object') return err(ending.failure);
  if (ending === 'stopped') return err(stopped(program.program));
  return ok({
    exitCode: ending === 'timed_out' ? null : child.exitCode,
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.truncated || stderr.truncated,
    timedOut: ending === 'timed_out',
  });
}

function keep(stream: NodeJS.ReadableStream, kept: KeptOutput, program: PipedProgram): void {
  stream.setEncoding('utf8');
  stream.on('data', (data: string) => {
    kept.add(data);
    program.onData(data);
  });
}

function cannotStart(program: string, cause: unknown): TerminalFailure {
  if (systemErrorCode(cause) === 'ENOENT') {
    return {
      tag: 'program_missing',
      message: `The program "${program}" was not found.`,
      next: 'Install it, or give its full path.',
    };
  }
  return {
    tag: 'spawn_failed',
    message: `The program "${program}" could not be started: ${messageOf(cause)}.`,
    next: 'Check that it may be executed.',
  };
}
