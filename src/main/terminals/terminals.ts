import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { err } from '../../shared/kernel/result.ts';
import type { TerminalFailure, Terminals } from '../ports/terminal.ts';
import { stopped, type TerminalsOptions } from './options.ts';
import { runOnPipes } from './piped-program.ts';
import { GRACE_MS } from './process-tree.ts';
import { runInPseudoTerminal } from './pseudo-terminal.ts';

/** Runs programs on this machine, in pseudo-terminals and on pipes. */
export function createTerminals(
  given: Partial<TerminalsOptions> & Pick<TerminalsOptions, 'clock'>,
): Terminals {
  const options: TerminalsOptions = {
    environment: process.env,
    shell: '/bin/sh',
    graceMs: GRACE_MS,
    label: 'unnamed',
    newToken: randomUUID,
    ...given,
  };
  return {
    async run(command, signal) {
      if (signal.aborted) return err(stopped(command.command));
      const missing = await directoryFailure(command.directory);
      return missing === null ? runInPseudoTerminal(command, signal, options) : err(missing);
    },
    async pipe(program, signal) {
      if (signal.aborted) return err(stopped(program.program));
      const missing = await directoryFailure(program.directory);
      return missing === null ? runOnPipes(program, signal, options) : err(missing);
    },
  };
}

/** Asked first because a spawn in a missing directory fails as if the program were missing. */
async function directoryFailure(directory: string): Promise<TerminalFailure | null> {
  try {
    if ((await stat(directory)).isDirectory()) return null;
  } catch {
    // Missing and unreachable are the same to who wants to work there.
  }
  return {
    tag: 'directory_missing',
    message: `"${directory}" is not a directory that can be entered.`,
    next: 'Create it, or choose another one.',
  };
}
