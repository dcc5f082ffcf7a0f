import { homedir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { isatty } from 'node:tty';
import pico from 'picocolors';
import { systemClock } from '../../shared/kernel/clock.ts';
import { VERSION } from '../app/version.ts';
import { carryOut } from './carry-out.ts';
import { dataDirectoryFor } from './data-directory.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { Interruption } from './interruption.ts';
import { personAt } from './person.ts';
import { parseCommandLine } from './program.ts';
import { Screen } from './screen.ts';
import { failureIn } from './uncaught.ts';
import { workingDirectory } from './working-directory.ts';

/** Of a terminal that does not say how wide it is, and so says 0. */
const DEFAULT_COLUMNS = 80;

/** The `tribune` command with these words; gives its exit code. */
export async function main(words: readonly string[]): Promise<ExitCode> {
  const { stdin, stdout, stderr, env } = process;
  endQuietlyWithReader(stdout);
  const colours = pico.createColors(isatty(stdout.fd) && hasColours(env));
  const parsed = parseCommandLine(words, VERSION, {
    write: (text) => stdout.write(text),
    complain: (text) => stderr.write(text),
    colours,
  });
  if (parsed.kind === 'exit') return parsed.code;
  const streams = {
    out: (text: string) => stdout.write(text),
    problems: (text: string) => stderr.write(text),
    columns: () => (stdout.isTTY ? stdout.columns || DEFAULT_COLUMNS : null),
  };
  const screen = new Screen(streams, colours, parsed.call.json);
  endWithFailure(screen);
  const directory = workingDirectory(env, () => process.cwd());
  if (!directory.ok) {
    screen.fail(directory.failure);
    return exitCodes.failed;
  }
  const interruption = new Interruption();
  try {
    return await carryOut(parsed.call, {
      environment: env,
      directory: directory.value,
      dataDirectory: dataDirectoryFor({
        platform: process.platform,
        environment: env,
        home: homedir(),
        directory: directory.value,
      }),
      clock: systemClock,
      pause: (durationMs) => pause(durationMs),
      screen,
      person: personAt(stdin, stdout, () => {
        interruption.interrupt();
      }),
      interruption: interruption.signal,
      openHost: async (options) => (await import('../app/host.ts')).openHost(options),
    });
  } finally {
    interruption.close();
  }
}

/**
 * A host in this process whose disk is full can do nothing more. It ends as if it were killed, which loses nothing,
 * and says why; a bug ends it too, with its stack.
 */
function endWithFailure(screen: Screen): void {
  process.on('uncaughtException', (thrown) => {
    const failure = failureIn(thrown);
    if (failure === null) console.error(thrown);
    else screen.fail(failure);
    process.exit(exitCodes.failed);
  });
}

/** Colours are for a person's terminal; https://no-color.org. */
function hasColours(environment: NodeJS.ProcessEnv): boolean {
  return (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
}

/** Whoever reads the output may stop reading, as `head` does: then there is nothing left to do. */
function endQuietlyWithReader(output: NodeJS.WritableStream): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.done);
    throw error;
  });
}
