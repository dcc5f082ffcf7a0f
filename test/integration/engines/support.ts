import { expect, onTestFinished } from 'vitest';
import type { Result } from '../../../src/shared/kernel/result.ts';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { createAnthropicEngine } from '../../../src/main/engines/anthropic/anthropic-engine.ts';
import { Secret } from '../../../src/shared/kernel/secret.ts';
import type {
  Account,
  EngineFailure,
  TurnPlace,
  TurnRequest,
  TurnYield,
} from '../../../src/main/ports/engine.ts';
import { createTerminals } from '../../../src/main/terminals/terminals.ts';
import { createWorkspace } from '../../../src/main/workspaces/workspace.ts';
import { textOf } from '../../fakes/messages-server/protocol.ts';
import type { MessagesRequest } from '../../fakes/messages-server/protocol.ts';
import { calls } from '../../fakes/messages-server/script.ts';
import type { Script } from '../../fakes/messages-server/script.ts';
import { startMessagesServer, type MessagesServer } from '../../fakes/messages-server/server.ts';
import type { ScriptedServerOptions } from '../../fakes/scripted-server.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { MemoryDesk, type DeskMemory } from '../../support/memory-desk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const MODEL = 'claude-sonnet-5-5';
export const NONCE = 'n0nce-1234';
export const KEY = 'sk-test-key';

export type OwnerPlace = Extract<TurnPlace, { kind: 'directory' }>;

/** An owner's place in a new directory, which is no repository and so is worked in directly. */
export async function ownerPlace(): Promise<OwnerPlace> {
  const directory = temporaryFolder('engine');
  const workspace = workspaceOf(directory);
  const base = await workspace.snapshotOfDirectory();
  if (!base.ok) throw new Error(base.failure.message);
  const opened = await workspace.open('task_1', base.value.id);
  if (!opened.ok) throw new Error(opened.failure.message);
  onTestFinished(() => workspace.close());
  return { kind: 'directory', directory, files: opened.value.files };
}

/** A snapshot of a directory, as a reviewer sees it. */
export async function snapshotPlace(directory: string): Promise<TurnPlace> {
  const workspace = workspaceOf(directory);
  const snapshot = await workspace.snapshotOfDirectory();
  if (!snapshot.ok) throw new Error(snapshot.failure.message);
  onTestFinished(() => workspace.close());
  return { kind: 'snapshot', files: workspace.read(snapshot.value.id) };
}

function workspaceOf(directory: string) {
  return createWorkspace({
    directory,
    dataDirectory: temporaryFolder('engine-data'),
    environment: process.env,
  });
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
export async function workbench(script: Script, options: ScriptedServerOptions = {}): Promise<Workbench> {
  const place = await ownerPlace();
  const server = await startMessagesServer(script, { apiKey: KEY, ...options });
  onTestFinished(() => server.close());
  // The engine must never send what the real API would refuse.
  onTestFinished(() => {
    expect(server.refusals.filter(({ status }) => status === 400)).toEqual([]);
  });
  return benchAt(place, server);
}

function benchAt(place: OwnerPlace, server: MessagesServer, memory?: DeskMemory): Workbench {
  const desk = new MemoryDesk(memory);
  const clock = new ManualClock();
  const engine = createAnthropicEngine({
    clock,
    terminals: createTerminals({ clock: systemClock, graceMs: 300 }),
  });
  const request: TurnRequest = {
    turnId: 'turn_1',
    role: 'owner',
    purpose: 'work',
    settings: { engine: 'anthropic', model: MODEL, maxTokens: null, command: null },
    nonce: NONCE,
    system: 'You are the owner.',
    prompt: `Do the work. The nonce of this turn is ${NONCE}.`,
    freshPrompt: `Do the work. The nonce of this turn is ${NONCE}.`,
    account: accountWith(KEY, server.url),
    cli: null,
    session: 'ses_1',
    permissions: 'everything',
    resumed: false,
    place,
  };
  return {
    directory: place.directory,
    server,
    desk,
    clock,
    request,
    run: (over = {}, signal = new AbortController().signal) =>
      engine.run({ ...request, ...over }, desk, signal),
    nextLife: () => benchAt(place, server, desk.memory),
  };
}

/** An account with this key, for an API at this address. */
export function accountWith(key: string, baseUrl: string): Account {
  return { name: 'test', access: { key: new Secret(key), sentAs: 'api_key' }, baseUrl };
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

/** What the newest message of a request says: tool results, and words of ours. */
export function newest(request: MessagesRequest | undefined): string {
  const message = request?.messages.at(-1);
  return message === undefined ? '' : textOf(message);
}

/** The verdict that ends a turn. */
export const submits = calls('submit_verdict', verdict());
