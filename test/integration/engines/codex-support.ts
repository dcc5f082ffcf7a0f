import { onTestFinished } from 'vitest';
import { codexDialect } from '../../../src/main/engines/codex/dialect.ts';
import type { TurnRequest } from '../../../src/main/ports/engine.ts';
import { saidIn } from '../../fakes/responses-server/protocol.ts';
import { calls, type ResponseReply, type Script } from '../../fakes/responses-server/script.ts';
import { startResponsesServer, type ResponsesServer } from '../../fakes/responses-server/server.ts';
import { cliBench, KEY, type CliBench, type CliBenchOptions } from './cli-support.ts';
import { verdict } from './support.ts';

/** A model that Codex knows nothing of is offered every tool by itself. */
export const PLAIN_MODEL = 'gpt-of-this-test';
/** One that it knows is offered a single tool, which runs JavaScript that calls the others. */
export const SCRIPTING_MODEL = 'gpt-6.2-sol';

const VERDICT = 'mcp__tribune__submit_verdict';

export function submits(over: Readonly<Record<string, unknown>> = {}): ResponseReply {
  return calls(VERDICT, verdict(over));
}

/** A call of the tool that runs JavaScript. */
export function scripts(input: string): ResponseReply {
  return {
    kind: 'response',
    output: [{ type: 'custom_tool_call', namespace: 'functions', name: 'exec', input }],
  };
}

export function onModel(model: string): Pick<TurnRequest, 'settings'> {
  return { settings: { engine: 'codex', model, maxTokens: null, command: null } };
}

export interface CodexBench extends CliBench {
  readonly server: ResponsesServer;
}

/** Codex in front of a fake of its API. */
export async function codexBench(
  program: string,
  script: Script,
  over: Partial<CliBenchOptions> = {},
): Promise<CodexBench> {
  const server = await startResponsesServer(script, { apiKey: KEY });
  onTestFinished(() => server.close());
  const made = await cliBench(codexDialect, {
    engineName: 'codex',
    baseUrl: server.url,
    program,
    ...over,
  });
  return {
    ...made,
    server,
    own: (turn = {}, signal) => made.own({ ...onModel(PLAIN_MODEL), ...turn }, signal),
    review: (turn = {}) => made.review({ ...onModel(PLAIN_MODEL), ...turn }),
  };
}

/** All that was said in one of the requests, from 1. */
export function saidInRequest({ server }: CodexBench, number: number): string {
  const request = server.requests[number - 1];
  if (request === undefined) throw new Error(`There is no request ${number}.`);
  return saidIn(request);
}
