import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Result } from '../../../src/shared/kernel/result.ts';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { createAnthropicEngine } from '../../../src/main/engines/anthropic/anthropic-engine.ts';
import type { EngineFailure, TurnRequest, TurnYield } from '../../../src/main/ports/engine.ts';
import { createTerminals } from '../../../src/main/terminals/terminals.ts';
import type { Script } from '../../fakes/messages-server/script.ts';
import {
  startMessagesServer,
  type MessagesServer,
  type MessagesServerOptions,
} from '../../fakes/messages-server/server.ts';
import { directoryFiles } from '../../support/directory-files.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { MemoryDesk, type DeskMemory } from '../../support/memory-desk.ts';

export const MODEL = 'claude-sonnet-5-5';
export const NONCE = 'n0nce-1234';
export const KEY = 'sk-test-key';

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tribune-engine-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A verdict as an agent submits it. */
export function verdict(over: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { verdict: 'DONE', nonce: NONCE, summary: 'All is well.', ...over };
}

export interface Workbench {
  readonly directory: string;
  readonly server: MessagesServer;
  readonly desk: MemoryDesk;
  readonly clock: ManualClock;
  readonly request: TurnRequest;
  run(over?: Partial<TurnRequest>, signal?: AbortSignal): Promise<Result<TurnYield, EngineFailure>>;
  /** The same in a host's next life: a new engine and desk on what the old one kept. */
  nextLife(): Workbench;
}

/** A turn's place, a server that answers by the script, and an engine between them. */
export async function workbench(script: Script, options: MessagesServerOptions = {}): Promise<Workbench> {
  const directory = await temporaryDirectory();
  const server = await startMessagesServer(script, { apiKey: KEY, ...options });
  onTestFinished(() => server.close());
  // The engine must never send what the real API would refuse.
  onTestFinished(() => {
    expect(server.refusals.filter(({ status }) => status === 400)).toEqual([]);
  });
  return benchAt(directory, server);
}

function benchAt(directory: string, server: MessagesServer, memory?: DeskMemory): Workbench {
  const desk = new MemoryDesk(memory);
  const clock = new ManualClock();
  const engine = createAnthropicEngine({
    clock,
    terminals: createTerminals({ clock: systemClock, graceMs: 300 }),
    apiKey: () => KEY,
    baseUrl: server.url,
  });
  const request: TurnRequest = {
    turnId: 'turn_1',
    role: 'owner',
    purpose: 'work',
    settings: { engine: 'anthropic', model: MODEL, maxTokens: null, command: null },
    nonce: NONCE,
    system: 'You are the owner.',
    prompt: `Do the work. The nonce of this turn is ${NONCE}.`,
    session: 'ses_1',
    resumed: false,
    place: { kind: 'directory', directory, files: directoryFiles(directory) },
  };
  return {
    directory,
    server,
    desk,
    clock,
    request,
    run: (over = {}, signal = new AbortController().signal) =>
      engine.run({ ...request, ...over }, desk, signal),
    nextLife: () => benchAt(directory, server, desk.memory),
  };
}

/** What a turn came to; a failure fails the test with its words. */
export function yielded(result: Result<TurnYield, EngineFailure>): TurnYield {
  if (!result.ok) throw new Error(`${result.failure.tag}: ${result.failure.message}`);
  return result.value;
}

/** How a turn failed; anything else fails the test. */
export function failed(result: Result<TurnYield, EngineFailure>): EngineFailure {
  if (result.ok) throw new Error(`The turn did not fail, but said: ${result.value.text}`);
  return result.failure;
}
