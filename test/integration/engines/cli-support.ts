import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { openTurnGates } from '../../../src/main/gate/turn-gates.ts';
import { createCodingCliEngine } from '../../../src/main/engines/coding-cli/coding-cli-engine.ts';
import type { CliDialect } from '../../../src/main/engines/coding-cli/dialect.ts';
import type { CliPlace, HostPlaces, SealedCommands } from '../../../src/main/ports/coding-cli.ts';
import type { Engine, EngineFailure, TurnRequest, TurnYield } from '../../../src/main/ports/engine.ts';
import type { TurnGates } from '../../../src/main/ports/turn-gate.ts';
import { createHostPlaces } from '../../../src/main/terminals/host-place/host-places.ts';
import { systemClock, type Clock } from '../../../src/shared/kernel/clock.ts';
import type { Result } from '../../../src/shared/kernel/result.ts';
import { MemoryDesk } from '../../support/memory-desk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { accountWith, MODEL, NONCE, ownerPlace, snapshotPlace } from './support.ts';

export const KEY = 'sk-upstream-key';

export interface CliBench {
  /** The work. */
  readonly directory: string;
  /** The person's home, where the program keeps its things. */
  readonly home: string;
  readonly desk: MemoryDesk;
  readonly engine: Engine;
  readonly places: HostPlaces;
  /** Runs a turn of the owner, on the host. */
  readonly own: (
    over?: Partial<TurnRequest>,
    signal?: AbortSignal,
  ) => Promise<Result<TurnYield, EngineFailure>>;
  /** Runs a turn of the reviewer, in a place that is told to be sealed. */
  readonly review: (
    over?: Partial<TurnRequest>,
    commands?: SealedCommands,
  ) => Promise<Result<TurnYield, EngineFailure>>;
}

export interface CliBenchOptions {
  /** The API that accounts of the bench call; null for the person's own login. */
  readonly baseUrl: string | null;
  readonly program?: string;
  readonly clock?: Clock;
  readonly engineName: 'claude-code' | 'codex';
  readonly environment?: Readonly<Record<string, string>>;
}

/** A program in a home and a directory of the test's own, behind real gates and on a real host place. */
export async function cliBench(dialect: CliDialect, options: CliBenchOptions): Promise<CliBench> {
  const home = temporaryFolder('home');
  const desk = new MemoryDesk();
  const place = await ownerPlace();
  const { clock = systemClock, baseUrl, program } = options;
  const places = hostPlaces({ HOME: home, ...options.environment });
  const gates = await turnGates();
  const engine = createCodingCliEngine(dialect, {
    clock,
    gates,
    hostPlaces: places,
    ...(program === undefined ? {} : { program }),
  });
  const account = baseUrl === null ? null : accountWith(KEY, baseUrl);
  const base: TurnRequest = {
    turnId: 'turn_1',
    role: 'owner',
    purpose: 'work',
    settings: { engine: options.engineName, model: MODEL, maxTokens: null, command: null },
    nonce: NONCE,
    system: 'You are the owner of this work.',
    prompt: `Go on with the work. The nonce of this turn is ${NONCE}.`,
    freshPrompt: `Do all of the work. The nonce of this turn is ${NONCE}.`,
    account,
    cli: null,
    session: 'ses_1',
    permissions: 'everything',
    resumed: false,
    place,
  };
  const run = async (request: TurnRequest, seal: (cli: CliPlace) => CliPlace, signal: AbortSignal) => {
    const opened = await places.open(place.directory);
    if (!opened.ok) throw new Error(opened.failure.message);
    try {
      return await engine.run({ ...request, cli: seal(opened.value.cli) }, desk, signal);
    } finally {
      await opened.value.close();
    }
  };
  return {
    directory: place.directory,
    home,
    desk,
    engine,
    places,
    own: (over = {}, signal = new AbortController().signal) =>
      run({ ...base, ...over }, (cli) => cli, signal),
    review: async (over = {}, commands = shellIn(place.directory)) =>
      run(
        {
          ...base,
          role: 'reviewer',
          purpose: 'review',
          system: 'You are the reviewer of this work.',
          place: await snapshotPlace(place.directory),
          ...over,
        },
        // The container's own program is named in the image; here it is the host's.
        (cli) => ({
          ...cli,
          sealed: true,
          home,
          commands,
          start: (launch, signal) => cli.start({ ...launch, program: program ?? launch.program }, signal),
        }),
        new AbortController().signal,
      ),
  };
}

/** Runs commands as a container would, without one. */
export function shellIn(directory: string): SealedCommands {
  return {
    run: ({ command, timeoutMs, maxBytes }) =>
      new Promise((resolve) => {
        execFile('sh', ['-c', command], { cwd: directory, timeout: timeoutMs }, (error, stdout, stderr) => {
          const exitCode = error === null ? 0 : Number(error.code ?? 1);
          const output = (stdout + stderr).slice(0, maxBytes);
          resolve({ ok: true, value: { exitCode, output, truncated: false, timedOut: false } });
        });
      }),
  };
}

export function hostPlaces(environment: Readonly<Record<string, string>>): HostPlaces {
  return createHostPlaces({
    clock: systemClock,
    graceMs: 300,
    environment: { PATH: process.env['PATH'], ...environment },
    path: () => Promise.resolve(process.env['PATH'] ?? ''),
  });
}

async function turnGates(): Promise<TurnGates> {
  const opened = await openTurnGates({
    directory: temporaryFolder('gate'),
    agentUser: null,
    clock: systemClock,
    usdOf: () => 0.01,
    onEvent: () => undefined,
  });
  if (!opened.ok) throw new Error(opened.failure.message);
  onTestFinished(() => opened.value.close());
  return opened.value;
}

/** Writes files below a directory. */
export function plant(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

/** What was reported of tools, in one line each. */
export function toolLines({ events }: MemoryDesk): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'tool_ended' ? [`${event.tool} ${event.ok ? 'ok' : 'failed'}`] : [],
  );
}

/** All that was shown on the terminal of the turn. */
export function screenOf({ events }: MemoryDesk): string {
  return events
    .flatMap((event) =>
      event.type === 'terminal_output' && event.id === 'turn_1:screen' ? [event.data] : [],
    )
    .join('');
}

/** Fails the test where nothing was reported that says this. */
export function expectNotice({ events }: MemoryDesk, words: string): void {
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(notices.join('\n')).toContain(words);
}
