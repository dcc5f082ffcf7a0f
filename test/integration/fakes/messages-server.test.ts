import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { calls, says, type Script } from '../../fakes/messages-server/script.ts';
import { startMessagesServer } from '../../fakes/messages-server/server.ts';
import type { ScriptedServerOptions } from '../../fakes/scripted-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const question = {
  model: 'claude-sonnet-5-5',
  max_tokens: 10,
  stream: true,
  messages: [{ role: 'user', content: 'hello' }],
};

function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'anthropic-version': '2026-10-21', ...headers },
    body: JSON.stringify(body),
  });
}

async function started(script: Script, options: ScriptedServerOptions = {}) {
  const server = await startMessagesServer(script, options);
  onTestFinished(() => server.close());
  return server;
}

/** The types of the events of a stream, and the text and JSON that its pieces add up to. */
async function streamed(response: Response) {
  const events = (await response.text())
    .split('\n\n')
    .filter((event) => event !== '')
    .map(
      (event) =>
        JSON.parse(event.split('\ndata: ')[1] ?? '') as { type: string; delta?: Record<string, string> },
    );
  const sum = (key: string): string => events.map(({ delta }) => delta?.[key] ?? '').join('');
  return {
    types: [...new Set(events.map(({ type }) => type))],
    text: sum('text'),
    json: sum('partial_json'),
  };
}

describe('the Messages server', () => {
  it('streams what the script says, in the order of the protocol', async () => {
    const server = await started(() =>
      calls('look', { at: 'all of it, please' }, { words: 'Let me look at this.' }),
    );
    expect(await streamed(await post(server.url, question))).toEqual({
      types: [
        'message_start',
        'ping',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ],
      text: 'Let me look at this.',
      json: '{"at":"all of it, please"}',
    });
  });

  it('takes a key in either header, and no other key than its own', async () => {
    const server = await started(() => says('hi'), { apiKey: 'key' });
    expect((await post(server.url, question)).status).toBe(200);
    expect((await post(server.url, question, { authorization: '', 'x-api-key': 'key' })).status).toBe(200);
    expect((await post(server.url, question, { authorization: 'Bearer other' })).status).toBe(401);
    expect((await post(server.url, question, { authorization: '' })).status).toBe(401);
  });

  it('refuses what is malformed, and keeps it apart from what the script was asked', async () => {
    const server = await started(() => says('hi'), { models: [question.model] });
    const refused = await post(server.url, { ...question, messages: [] });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect((await post(server.url, { ...question, model: 'other' })).status).toBe(404);
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(404);
    expect(server.requests).toEqual([]);
    expect(server.refusals.map(({ status }) => status)).toEqual([400, 404, 404]);
  });

  it('says so in the form of the API where the script itself fails', async () => {
    const server = await started(() => {
      throw new Error('no such scene');
    });
    const response = await post(server.url, question);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('no such scene');
  });

  it('runs as a process of its own', async () => {
    const folder = temporaryFolder('server');
    const script = join(folder, 'script.ts');
    const builders = new URL('../../fakes/messages-server/script.ts', import.meta.url).href;
    writeFileSync(script, `import { says } from '${builders}';\nexport default () => says('from afar');\n`);
    const serve = new URL('../../fakes/messages-server/serve.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [serve, script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect((await streamed(await post(url, question))).text).toBe('from afar');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
