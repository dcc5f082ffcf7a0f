import { randomUUID } from 'node:crypto';
import { err } from '../../shared/kernel/result.ts';
import type { Terminals } from '../ports/terminal.ts';
import { missingDirectory } from './missing-directory.ts';
import { stopped, type TerminalsOptions } from './options.ts';
import { runOnPipes } from './piped-program.ts';
import { GRACE_MS } from './process-tree.ts';
import { runInPseudoTerminal } from './pseudo-terminal.ts';
import { RunningTrees } from './running-trees.ts';

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
    running: new RunningTrees(),
    ...given,
  };
  return {
    async run(command, signal) {
      if (signal.aborted) return err(stopped(command.command));
      const missing = await missingDirectory(command.directory);
      return missing === null ? runInPseudoTerminal(command, signal, options) : err(missing);
    },
    async pipe(program, signal) {
      if (signal.aborted) return err(stopped(program.program));
      const missing = await missingDirectory(program.directory);
      return missing === null ? runOnPipes(program, signal, options) : err(missing);
    },
  };
}
