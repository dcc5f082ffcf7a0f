import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meterFor } from '../../../../src/main/gate/broker/meter.ts';
import type { Reading } from '../../../../src/main/gate/broker/meter.ts';
import type { Api } from '../../../../src/main/gate/route.ts';
import { messagesStream, responsesStream, sse } from '../../../integration/gate/streams.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const STREAM = 'text/event-stream; charset=utf-8';
const JSON_TYPE = 'application/json';

function read(api: Api, type: string, ...chunks: readonly (string | Uint8Array)[]): Reading {
  const meter = meterFor(api, type);
  for (const chunk of chunks) meter.take(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return meter.finish();
}

const messages = {
  model: 'claude-sonnet-5-5',
  tokens: { input: 12, output: 34, cacheRead: 5, cacheWrite: 6 },
  counted: true,
  errors: [],
};
const responses = {
  model: 'gpt-5.5',
  tokens: { input: 12, output: 34, cacheRead: 5, cacheWrite: 0 },
  counted: true,
  errors: [],
};

describe('counting an answer on its way', () => {
  it('reads a stream of Messages', () => {
    expect(read('anthropic', STREAM, messagesStream)).toEqual(messages);
  });

  it('reads a stream of Responses', () => {
    expect(read('openai', STREAM, responsesStream)).toEqual(responses);
  });

  it('reads a response that was cut short by its limit', () => {
    const stream = responsesStream.replaceAll('response.completed', 'response.incomplete');
    expect(read('openai', STREAM, stream)).toEqual(responses);
  });

  it('reads chunks of a chat, of which only the last counts', () => {
    const chunk = (over: object): string =>
      `data: ${JSON.stringify({ object: 'chat.completion.chunk', model: 'gpt-5.5', usage: null, ...over })}\n\n`;
    const usage = {
      prompt_tokens: 17,
      completion_tokens: 34,
      prompt_tokens_details: { cached_tokens: 5 },
    };
    expect(
      read('openai', STREAM, chunk({ choices: [] }), chunk({ choices: [], usage }), 'data: [DONE]\n\n'),
    ).toEqual(responses);
  });

  it('reads answers that are no streams, over several lines too', () => {
    const message = {
      model: 'claude-sonnet-5-5',
      usage: {
        input_tokens: 12,
        output_tokens: 34,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: 6,
      },
    };
    const response = {
      model: 'gpt-5.5',
      error: null,
      usage: { input_tokens: 17, input_tokens_details: { cached_tokens: 5 }, output_tokens: 34 },
    };
    expect(read('anthropic', JSON_TYPE, JSON.stringify(message, null, 2))).toEqual(messages);
    expect(read('openai', JSON_TYPE, JSON.stringify(response))).toEqual(responses);
  });

  it('takes later totals for the earlier ones, kind by kind', () => {
    const stream =
      messagesStream +
      sse({ type: 'message_delta', usage: { output_tokens: 40, cache_read_input_tokens: null } });
    expect(read('anthropic', STREAM, stream).tokens).toEqual({ ...messages.tokens, output: 40 });
  });

  it('keeps what it had counted when the stream breaks', () => {
    const half = messagesStream.slice(0, messagesStream.indexOf('event: message_delta'));
    expect(read('anthropic', STREAM, half)).toEqual({
      ...messages,
      tokens: { ...messages.tokens, output: 1 },
    });
    const begun = responsesStream.slice(0, responsesStream.indexOf('event: response.completed'));
    expect(read('openai', STREAM, begun)).toMatchObject({ model: 'gpt-5.5', counted: false });
  });

  it('notices errors within a stream', () => {
    const overloaded = sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    expect(read('anthropic', STREAM, messagesStream, overloaded).errors).toMatchObject([
      { type: 'overloaded_error', message: 'Overloaded' },
    ]);
    const failed = sse({
      type: 'response.failed',
      response: { model: 'gpt-5.5', usage: null, error: { code: 'rate_limit_exceeded', message: 'Slower.' } },
    });
    expect(read('openai', STREAM, failed).errors).toMatchObject([{ type: 'rate_limit_exceeded' }]);
    const flat = sse({ type: 'error', code: 'server_error', message: 'Broken.', param: null });
    expect(read('openai', STREAM, flat).errors).toMatchObject([{ type: 'server_error', message: 'Broken.' }]);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'data: {"usage": {\n\n'],
    ['a wrong shape', 'data: {"model":"m","usage":{"input_tokens":"many"}}\n\n'],
    ['negative counts', 'data: {"model":"m","usage":{"input_tokens":-5}}\n\n'],
    ['a list', 'data: [{"model":1,"usage":{}}]\n\n'],
    ['bytes that are no text', Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a])],
  ])('counts nothing in %s', (_what, stream) => {
    expect(read('anthropic', STREAM, stream)).toMatchObject({ counted: false, errors: [] });
    expect(read('openai', STREAM, stream)).toMatchObject({ counted: false, errors: [] });
    expect(read('anthropic', JSON_TYPE, stream)).toMatchObject({ counted: false, errors: [] });
  });

  it('counts what follows a line that is too long to be kept', () => {
    const piece = Buffer.alloc(1_048_576, 'x');
    const long = Array.from({ length: 20 }, () => piece);
    expect(read('anthropic', STREAM, 'data: ', ...long, '\n\n', messagesStream)).toEqual(messages);
  });

  it.each([STREAM, JSON_TYPE])(
    'keeps no more than its limit of a document without end, as %s',
    async (type) => {
      const meter = meterFor('anthropic', type);
      const taken = Array.from({ length: 100 }, () => {
        const megabyte = Buffer.alloc(1_048_576, 'x');
        meter.take(megabyte);
        return new WeakRef(megabyte);
      });
      // References hold what they were made for until the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
      expect(taken.filter((megabyte) => megabyte.deref() !== undefined).length).toBeLessThanOrEqual(8);
      expect(meter.finish().counted).toBe(false);
    },
  );

  it.each([
    ['anthropic', messagesStream, messages],
    ['openai', responsesStream, responses],
  ] as const)(
    'counts the same however %s is cut into chunks, and with either line ending',
    (api, stream, expected) => {
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 40 }), fc.boolean(), (cuts, carriageReturns) => {
          const bytes = Buffer.from(carriageReturns ? stream.replaceAll('\n', '\r\n') : stream);
          const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort(
            (one, other) => one - other,
          );
          const chunks = [0, ...places].map((from, nth) => bytes.subarray(from, places[nth] ?? bytes.length));
          expect(read(api, STREAM, ...chunks)).toEqual(expected);
        }),
        { numRuns: 500 },
      );
    },
  );

  it('is never led astray by what an agent writes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.constantFrom('"usage":{"output_tokens":999}', '\n\ndata: {"usage":{"output_tokens":9}}\n\n'),
          fc.json(),
        ),
        (text) => {
          const said = sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
          const at = messagesStream.indexOf('event: message_delta');
          const stream = messagesStream.slice(0, at) + said + messagesStream.slice(at);
          expect(read('anthropic', STREAM, stream)).toEqual(messages);
        },
      ),
      { numRuns: 500 },
    );
  });
});
