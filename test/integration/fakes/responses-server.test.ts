import { expect, it, onTestFinished } from 'vitest';
import { calls, inTurn, says, usageLimitReached, type Script } from '../../fakes/responses-server/script.ts';
import { startResponsesServer } from '../../fakes/responses-server/server.ts';

const KEY = 'sk-test';
const ASKED = { model: 'gpt-test', stream: true, input: [{ role: 'user', content: 'Hello.' }] };

async function server(script: Script) {
  const started = await startResponsesServer(script, { apiKey: KEY, models: ['gpt-test'] });
  onTestFinished(() => started.close());
  const ask = (body: unknown, key = KEY) =>
    fetch(`${started.url}/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
  return { started, ask };
}

it('streams a response from its creation to its end, with what it used', async () => {
  const { ask } = await server(
    inTurn(says('Hello to you, whoever you may be.', { usage: { output_tokens: 9 } })),
  );
  const text = await (await ask(ASKED)).text();
  const names = [...text.matchAll(/^event: (.+)$/gm)].map(([, name]) => name);
  expect(names[0]).toBe('response.created');
  expect(names.filter((name) => name === 'response.output_text.delta').length).toBeGreaterThan(1);
  expect(names.slice(-2)).toEqual(['response.output_item.done', 'response.completed']);
  expect(text).toContain('"output_tokens":9');
});

it('takes a call only together with its output', async () => {
  const { ask, started } = await server(inTurn(calls('mcp__tribune__run', { command: 'ls' }), says('Done.')));
  expect(await (await ask(ASKED)).text()).toContain('"namespace":"mcp__tribune"');
  const call = { type: 'function_call', call_id: 'c1', name: 'run', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c1', output: 'a' };
  expect((await ask({ ...ASKED, input: [...ASKED.input, call] })).status).toBe(400);
  expect((await ask({ ...ASKED, input: [...ASKED.input, output] })).status).toBe(400);
  expect((await ask({ ...ASKED, input: [...ASKED.input, call, output] })).status).toBe(200);
  expect(started.refusals.map(({ problem }) => problem)).toEqual([
    'No tool output found for function call c1.',
    'No tool call found for function call output with call_id c1.',
  ]);
});

it('refuses foreign keys, unknown models and requests without a form', async () => {
  const { ask, started } = await server(inTurn());
  expect((await ask(ASKED, 'sk-other')).status).toBe(401);
  expect((await ask({ ...ASKED, model: 'gpt-none' })).status).toBe(404);
  expect((await ask({ model: 'gpt-test', stream: true, input: [] })).status).toBe(400);
  expect(started.requests).toEqual([]);
});

it('says in the API’s form that a limit is reached', async () => {
  const { ask } = await server(inTurn(usageLimitReached(60, 1_800_000_000)));
  const answer = await ask(ASKED);
  expect(answer.status).toBe(429);
  expect(await answer.json()).toMatchObject({
    error: { type: 'usage_limit_reached', resets_at: 1_800_000_000, resets_in_seconds: 60 },
  });
});
