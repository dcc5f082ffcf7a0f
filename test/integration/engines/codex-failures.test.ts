import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codexDialect } from '../../../src/main/engines/codex/dialect.ts';
import { createCodingCliEngine } from '../../../src/main/engines/coding-cli/coding-cli-engine.ts';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { fails, inTurn, says, usageLimitReached } from '../../fakes/responses-server/script.ts';
import { describeWithCodingClis } from '../../support/coding-clis.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { cliBench } from './cli-support.ts';
import { codexBench } from './codex-support.ts';
import { failed, yielded } from './support.ts';

const HOUR_SECONDS = 3_600;

describeWithCodingClis('failures of the engine codex', ({ codex }) => {
  it('says that an account is used up, and until when', async () => {
    const resetsAt = Math.floor(Date.now() / 1_000) + 5 * HOUR_SECONDS;
    const { own } = await codexBench(codex, inTurn(usageLimitReached(5 * HOUR_SECONDS, resetsAt)));
    expect(failed(await own())).toMatchObject({ tag: 'exhausted', resetsAt: resetsAt * 1_000 });
  });

  it('knows an overload, which passes, from an account that is used up', async () => {
    const overloaded = fails(503, 'server_error', 'The server is overloaded.', {
      code: 'server_is_overloaded',
    });
    const { own } = await codexBench(codex, () => overloaded);
    expect(failed(await own())).toMatchObject({ tag: 'overloaded', forGood: false });
  });

  it('says that a key is not let in', async () => {
    const wrong = fails(401, 'invalid_request_error', 'Incorrect API key provided.', {
      code: 'invalid_api_key',
    });
    const { own } = await codexBench(codex, () => wrong);
    expect(failed(await own())).toMatchObject({ tag: 'exhausted', forGood: true });
  });

  it('says that there is no way to the API', async () => {
    const { own } = await codexBench(codex, inTurn(), { baseUrl: 'http://127.0.0.1:9/v1' });
    expect(failed(await own())).toMatchObject({ tag: 'network', forGood: false });
  });

  it('takes an answer that talks about limits for an answer', async () => {
    const { own } = await codexBench(
      codex,
      inTurn(says('You’ve hit your usage limit. Try again at 4:40 AM.')),
    );
    expect(yielded(await own()).reading.kind).toBe('none');
  });

  it('says which version it is, that nobody is logged in, and what it cannot do', async () => {
    const { places } = await codexBench(codex, inTurn(), { baseUrl: null });
    const gates = { open: () => Promise.reject(new Error('A check needs no gate.')) };
    const engine = createCodingCliEngine(codexDialect, {
      clock: systemClock,
      gates,
      hostPlaces: places,
      program: codex,
    });
    const settings = { engine: 'codex', model: null, maxTokens: null, command: null } as const;
    expect(await engine.check(settings)).toMatchObject({
      ok: true,
      value: expect.stringMatching(
        /^Codex \d+\.\d+\.\d+, and you are not logged in.*cannot ask a person/,
      ) as string,
    });
  });
});

/** A program that prints these lines, and ends with this code. */
function program(lines: readonly string[], exitCode: number): string {
  const path = join(temporaryFolder('program'), 'codex');
  writeFileSync(path, `#!/bin/sh\ncat >/dev/null\ncat <<'END'\n${lines.join('\n')}\nEND\nexit ${exitCode}\n`);
  chmodSync(path, 0o755);
  return path;
}

const started = JSON.stringify({ type: 'thread.started', thread_id: 'thread-1' });
const begun = JSON.stringify({ type: 'turn.started' });
const said = JSON.stringify({
  type: 'item.completed',
  item: { id: 'i', type: 'agent_message', text: 'Hello.' },
});
const done = JSON.stringify({ type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 2 } });

it.each([
  { what: 'garbage', lines: ['Segmentation fault'], exitCode: 0, tag: 'protocol' },
  { what: 'half a line', lines: [started, begun, said.slice(0, 30)], exitCode: 0, tag: 'program_failed' },
  { what: 'no result', lines: [started, begun, said], exitCode: 0, tag: 'program_failed' },
  { what: 'a result and exit 1', lines: [started, begun, said, done], exitCode: 1, tag: 'program_failed' },
])('fails on a program that gives $what', async ({ lines, exitCode, tag }) => {
  const { own } = await cliBench(codexDialect, {
    engineName: 'codex',
    baseUrl: 'http://127.0.0.1:9/v1',
    program: program(lines, exitCode),
  });
  expect(failed(await own()).tag).toBe(tag);
});

it('goes by what it knows of a newer program, and reads past the rest', async () => {
  const newer = JSON.stringify({ type: 'turn.pondered', how: 'long' });
  const { own, desk } = await cliBench(codexDialect, {
    engineName: 'codex',
    baseUrl: null,
    program: program([started, begun, newer, said, done], 0),
  });
  expect(yielded(await own()).text).toBe('Hello.');
  expect(desk.calls).toMatchObject([{ inputTokens: 5, outputTokens: 2, usd: null }]);
});
