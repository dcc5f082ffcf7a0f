import { describe, expect, it } from 'vitest';
import { claudeCodeReader } from '../../../../../src/main/engines/claude-code/reader.ts';

const init = (apiKeySource: string) => ({ type: 'system', subtype: 'init', session_id: 's1', apiKeySource });
const start = {
  type: 'stream_event',
  event: {
    type: 'message_start',
    message: { model: 'm', usage: { input_tokens: 10, cache_read_input_tokens: 5 } },
  },
};
const delta = { type: 'stream_event', event: { type: 'message_delta', usage: { output_tokens: 7 } } };
const totals = (inputTokens: number, outputTokens: number) => ({
  m: { inputTokens, outputTokens, cacheReadInputTokens: 5, cacheCreationInputTokens: 0, costUSD: 0.5 },
});
const result = (over: object) => ({ type: 'result', subtype: 'success', is_error: false, ...over });

describe('what Claude Code prints', () => {
  it.each<[string, unknown, unknown]>([
    ['its session', init('none'), [{ kind: 'session', id: 's1' }]],
    [
      'an echo',
      { type: 'user', isReplay: true, uuid: 'u1', message: { content: [] } },
      [{ kind: 'input_taken', id: 'u1' }],
    ],
    [
      'words',
      { type: 'assistant', message: { model: 'm', content: [{ type: 'text', text: 'Hi' }] } },
      [{ kind: 'text', text: 'Hi' }],
    ],
    [
      'a call of ours',
      {
        type: 'assistant',
        message: {
          model: 'm',
          content: [{ type: 'tool_use', id: 't1', name: 'mcp__tribune__run', input: { command: 'ls' } }],
        },
      },
      [{ kind: 'tool_started', id: 't1', tool: 'run', summary: '$ ls', input: { command: 'ls' } }],
    ],
    [
      'an answer',
      {
        type: 'user',
        message: {
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              is_error: true,
              content: [{ type: 'text', text: 'no' }],
            },
          ],
        },
      },
      [{ kind: 'tool_ended', id: 't1', ok: false, answer: 'no' }],
    ],
    [
      'words of a helper',
      {
        type: 'assistant',
        parent_tool_use_id: 't9',
        message: { model: 'm', content: [{ type: 'text', text: 'Hi' }] },
      },
      [],
    ],
    [
      'words that it made up',
      {
        type: 'assistant',
        message: { model: '<synthetic>', content: [{ type: 'text', text: 'API Error' }] },
      },
      [],
    ],
    [
      'thinking',
      { type: 'assistant', message: { model: 'm', content: [{ type: 'thinking', thinking: 'hm' }] } },
      [],
    ],
    [
      'a retry',
      {
        type: 'system',
        subtype: 'api_retry',
        attempt: 1,
        max_retries: 2,
        error_status: 529,
        error: 'overloaded',
      },
      [{ kind: 'notice', text: 'A call failed (overloaded, 529); it is tried again (1 of 2).' }],
    ],
    ['a result', result({ result: 'Hi' }), [{ kind: 'answered' }]],
    ['kinds that nobody knows', { type: 'from_the_future', what: 1 }, []],
    ['a known kind in a new form', { type: 'assistant', message: 'new' }, []],
    ['no line of the protocol', { hello: 'you' }, null],
    ['a number', 3, null],
  ])('%s', (_, line, events) => {
    expect(claudeCodeReader().read(line)).toEqual(events);
  });

  it('is a failure with its status, and its reset where an event told of one', () => {
    const reader = claudeCodeReader();
    const failedResult = result({
      is_error: true,
      api_error_status: 429,
      result: 'API Error: Request rejected (429)',
    });
    expect(reader.read(failedResult)).toEqual([
      {
        kind: 'failed',
        problem: { status: 429, type: null, message: 'Request rejected (429)', resetsAt: null },
      },
    ]);
    reader.read({
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', resetsAt: 1_777_000_000 },
    });
    expect(reader.read(failedResult)).toMatchObject([
      { problem: { type: 'usage_limit_reached', resetsAt: 1_777_000_000_000 } },
    ]);
  });

  it('counts each call once, and at the result what streams did not tell', () => {
    const reader = claudeCodeReader();
    reader.read(init('none'));
    expect(reader.read(start)).toEqual([{ kind: 'call_begun' }]);
    expect(reader.read(delta)).toMatchObject([
      { kind: 'used', model: 'm', inputTokens: 10, outputTokens: 7, usd: null },
    ]);
    expect(reader.read(result({ modelUsage: totals(10, 7) }))).toEqual([{ kind: 'answered' }]);
    expect(reader.read(result({ modelUsage: totals(30, 9) }))).toMatchObject([
      { kind: 'used', inputTokens: 20, outputTokens: 2, cacheReadTokens: 0, usd: null },
      { kind: 'answered' },
    ]);
  });

  it('tells what calls cost where a key pays, once', () => {
    const reader = claudeCodeReader();
    reader.read(init('ANTHROPIC_API_KEY'));
    reader.read(start);
    reader.read(delta);
    expect(reader.read(result({ modelUsage: totals(10, 7) }))).toMatchObject([
      { kind: 'used', usd: 0.5 },
      {},
    ]);
    expect(reader.read(result({ modelUsage: totals(10, 7) }))).toEqual([{ kind: 'answered' }]);
  });
});
