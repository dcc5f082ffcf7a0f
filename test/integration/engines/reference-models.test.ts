import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createReferenceModels } from '../../../src/main/engines/reference-models/reference-models.ts';
import type { ReferenceModel } from '../../../src/main/ports/reference-models.ts';
import { Secret } from '../../../src/shared/kernel/secret.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const QUESTION = { system: 'You are the arbiter.', prompt: 'Who is right?' };

interface Endpoint {
  readonly url: string;
  readonly seen: { readonly path: string; readonly key: string; readonly body: unknown }[];
  readonly asked: Promise<void>;
}

/** A chat endpoint on the loopback. */
async function endpoint(answer: (response: ServerResponse) => void): Promise<Endpoint> {
  const seen: Endpoint['seen'] = [];
  let tell = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer((incoming, response) => {
    void bodyOf(incoming).then((body) => {
      const { authorization, 'x-api-key': apiKey } = incoming.headers;
      seen.push({ path: incoming.url ?? '', key: String(apiKey ?? authorization), body });
      answer(response);
      tell();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The endpoint has no port.');
  return { url: `http://127.0.0.1:${address.port}`, seen, asked };
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return JSON.parse(text);
}

function gives(body: unknown, status = 200): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

const message = (text: string): unknown => ({
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 11, output_tokens: 7, cache_read_input_tokens: 3 },
});

const completion = (content: string, finish = 'stop'): unknown => ({
  choices: [{ message: { role: 'assistant', content }, finish_reason: finish }],
  usage: { prompt_tokens: 20, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } },
});

function model(name: string, api: ReferenceModel['api'], baseUrl: string): ReferenceModel {
  return { name, api, model: `${name}-1`, baseUrl, key: new Secret(`key-of-${name}`) };
}

function ask(
  models: readonly ReferenceModel[],
  clock = new ManualClock(),
  signal = new AbortController().signal,
) {
  return createReferenceModels({ clock, fetch, usdOf: () => 0.5 }).ask(models, QUESTION, signal);
}

it('asks both kinds of endpoints at once, and attributes what they say', async () => {
  const claude = await endpoint(gives(message('The owner is right.')));
  const other = await endpoint(gives(completion('# The reviewer\nis right.')));
  const { opinions, failures, calls, block } = await ask([
    model('claude', 'anthropic', claude.url),
    model('other', 'openai', `${other.url}/v1`),
  ]);
  expect(failures).toEqual([]);
  expect(opinions).toEqual([
    { number: 1, name: 'claude', text: 'The owner is right.' },
    { number: 2, name: 'other', text: '# The reviewer\nis right.' },
  ]);
  expect(block).toContain('## Opinion 2, of other\n\n> # The reviewer\n> is right.');
  expect(calls).toMatchObject([
    { model: 'claude-1', inputTokens: 11, cacheReadTokens: 3, outputTokens: 7, usd: 0.5 },
    { model: 'other-1', inputTokens: 12, cacheReadTokens: 8, outputTokens: 5, usd: 0.5 },
  ]);
  expect(claude.seen).toMatchObject([
    {
      path: '/v1/messages',
      key: 'key-of-claude',
      body: {
        system: QUESTION.system,
        max_tokens: 2_048,
        messages: [{ role: 'user', content: QUESTION.prompt }],
      },
    },
  ]);
  expect(other.seen).toMatchObject([
    { path: '/v1/chat/completions', key: 'Bearer key-of-other', body: { max_completion_tokens: 2_048 } },
  ]);
});

it('goes on without those that fail, says why, and numbers the others', async () => {
  const refuses = await endpoint(gives({ error: { message: 'Slow down.' } }, 429));
  const page = await endpoint((response) => response.end('<html>'));
  const silent = await endpoint(gives(completion('', 'length')));
  const speaks = await endpoint(gives(completion('Both are.', 'length')));
  const { opinions, failures, calls } = await ask([
    model('one', 'anthropic', refuses.url),
    model('two', 'openai', page.url),
    model('three', 'openai', silent.url),
    model('four', 'openai', 'http://127.0.0.1:9'),
    model('five', 'openai', speaks.url),
  ]);
  expect(opinions).toEqual([{ number: 1, name: 'five', text: 'Both are.\n[It was cut off here.]' }]);
  expect(failures.map(({ name, reason }) => `${name} ${reason}`)).toEqual([
    'one refused with 429: Slow down.',
    'two answered something that is not its API',
    'three used all its tokens before it said anything',
    expect.stringMatching(/^four could not be reached: /),
  ]);
  expect(calls).toHaveLength(2);
  expect(JSON.stringify(failures)).not.toContain('key-of');
});

it('waits for a minute, and no longer', async () => {
  const hangs = await endpoint(() => undefined);
  const clock = new ManualClock();
  const asking = ask([model('slow', 'anthropic', hangs.url)], clock);
  await hangs.asked;
  clock.advance(60_000);
  expect(await asking).toMatchObject({
    opinions: [],
    failures: [{ name: 'slow', reason: 'did not answer within 60 seconds' }],
    block: '',
  });
});

it('stops where the turn is stopped', async () => {
  const hangs = await endpoint(() => undefined);
  const stop = new AbortController();
  const asking = ask([model('slow', 'openai', hangs.url)], new ManualClock(), stop.signal);
  await hangs.asked;
  stop.abort();
  expect((await asking).failures).toEqual([{ name: 'slow', reason: 'was stopped' }]);
});

it('takes no more of an answer than it can read, and sends its key nowhere else', async () => {
  const floods = await endpoint((response) => response.end('x'.repeat(2_000_000)));
  const elsewhere = await endpoint(gives(completion('Caught.')));
  const moved = await endpoint((response) => {
    response.writeHead(307, { location: `${elsewhere.url}/chat/completions` }).end();
  });
  const { failures } = await ask([
    model('floods', 'openai', floods.url),
    model('moved', 'openai', moved.url),
  ]);
  expect(failures.map(({ name }) => name)).toEqual(['floods', 'moved']);
  expect(elsewhere.seen).toEqual([]);
});

it('adds nothing where nobody is asked', async () => {
  expect(await ask([])).toEqual({ opinions: [], failures: [], calls: [], block: '' });
});
