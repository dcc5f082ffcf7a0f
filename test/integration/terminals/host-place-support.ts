import { readdirSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import type { CliEnd, CliLaunch, OpenCliPlace, RunningCli } from '../../../src/main/ports/coding-cli.ts';
import { createHostPlaces } from '../../../src/main/terminals/host-place/host-places.ts';
import type { HostPlacesOptions } from '../../../src/main/terminals/host-place/host-places.ts';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const places = (over: Partial<HostPlacesOptions> = {}): ReturnType<typeof createHostPlaces> =>
  createHostPlaces({
    clock: systemClock,
    graceMs: 300,
    path: () => Promise.resolve(process.env['PATH'] ?? ''),
    ...over,
  });

/** A place that is closed after the test. */
export async function place(over: Partial<HostPlacesOptions> = {}): Promise<OpenCliPlace> {
  const opened = await places(over).open(temporaryFolder('place'));
  if (!opened.ok) throw new Error(opened.failure.message);
  onTestFinished(() => opened.value.close());
  return opened.value;
}

/** What a program's run gave. */
export interface Seen {
  output: string;
  problems: string;
  screen: string;
}

export interface Run extends Seen {
  readonly running: RunningCli;
  readonly ended: Promise<CliEnd>;
  /** Resolves when the output holds this. */
  printed(text: string): Promise<void>;
}

/** Starts a program that must start. */
export async function start(
  { cli }: OpenCliPlace,
  program: string,
  args: readonly string[],
  over: Partial<CliLaunch> = {},
  signal = new AbortController().signal,
): Promise<Run> {
  const seen: Seen = { output: '', problems: '', screen: '' };
  const listeners = new Set<() => void>();
  const launch: CliLaunch = {
    program,
    args,
    environment: {},
    onOutput: (chunk) => {
      seen.output += Buffer.from(chunk).toString('latin1');
      for (const look of listeners) look();
    },
    onProblem: (chunk) => {
      seen.problems += Buffer.from(chunk).toString('utf8');
    },
    onScreen: (data) => {
      seen.screen += data;
    },
    ...over,
  };
  const started = await cli.start(launch, signal);
  if (!started.ok) throw new Error(`${started.failure.tag}: ${started.failure.message}`);
  const printed = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (seen.output.includes(text)) resolve();
      };
      listeners.add(look);
      look();
    });
  return Object.assign(seen, { running: started.value, ended: started.value.ended, printed });
}

export const shell = (
  at: OpenCliPlace,
  script: string,
  over: Partial<CliLaunch> = {},
  signal?: AbortSignal,
): Promise<Run> => start(at, 'sh', ['-c', script], over, signal);

/** The turn runners that this process has started and that run. */
export function runners(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const stat = fileOf(name, 'stat');
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      return Number(parent) === process.pid && fileOf(name, 'cmdline').includes('turn-runner.js');
    })
    .map(Number);
}

export function fileOf(pid: number | string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** The one runner of a test. */
export function theRunner(): number {
  const [pid, ...more] = runners();
  if (pid === undefined || more.length > 0) throw new Error('This test has not exactly one turn runner.');
  return pid;
}
