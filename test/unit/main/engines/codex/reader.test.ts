import { describe, expect, it } from 'vitest';
import type { CliEvent } from '../../../../../src/main/engines/coding-cli/dialect.ts';
import { problemOf } from '../../../../../src/main/engines/codex/problems.ts';
import { codexReader } from '../../../../../src/main/engines/codex/reader.ts';

/** What the lines of one process say. */
function read(...lines: readonly unknown[]): readonly (CliEvent | null)[] {
  const reader = codexReader();
  return lines.flatMap<CliEvent | null>((line) => reader.read(line) ?? [null]);
}

const item = (type: string, fields: object): unknown => ({ type, item: { id: 'item_1', ...fields } });

describe('what Codex prints', () => {
  it('tells a tool once, whether it says its start or only its end', () => {
    const command = {
      type: 'command_execution',
      command: 'ls',
      aggregated_output: '',
      status: 'in_progress',
    };
    const ended = { ...command, aggregated_output: 'a\n', exit_code: 0, status: 'completed' };
    expect(read(item('item.started', command), item('item.completed', ended))).toEqual([
      { kind: 'tool_started', id: 'item_1', tool: 'shell', summary: '$ ls', input: 'ls' },
      { kind: 'tool_ended', id: 'item_1', ok: true, answer: 'exit code 0: a' },
    ]);
    expect(read(item('item.completed', ended)).map((event) => event?.kind)).toEqual([
      'tool_started',
      'tool_ended',
    ]);
  });

  it('calls our tools by our names, and those of others by theirs', () => {
    const call = { type: 'mcp_tool_call', tool: 'run', arguments: { command: 'ls' }, status: 'in_progress' };
    expect(read(item('item.started', { ...call, server: 'tribune' }))).toMatchObject([
      { tool: 'run', summary: '$ ls' },
    ]);
    expect(read(item('item.started', { ...call, server: 'notes' }))).toMatchObject([{ tool: 'notes.run' }]);
  });

  it('says that a tool of ours refused, with its reason', () => {
    const refused = {
      type: 'mcp_tool_call',
      server: 'tribune',
      tool: 'run',
      arguments: {},
      status: 'failed',
    };
    expect(read(item('item.completed', { ...refused, error: { message: 'No.' } })).at(-1)).toEqual({
      kind: 'tool_ended',
      id: 'item_1',
      ok: false,
      answer: 'No.',
    });
  });

  it('counts cached tokens apart from those that were read anew', () => {
    const usage = {
      input_tokens: 100,
      cached_input_tokens: 60,
      cache_write_input_tokens: 10,
      output_tokens: 7,
    };
    expect(read({ type: 'turn.completed', usage })).toMatchObject([
      { kind: 'used', inputTokens: 30, cacheReadTokens: 60, cacheWriteTokens: 10, outputTokens: 7 },
      { kind: 'answered' },
    ]);
  });

  it('tells a failure once, though it is said twice', () => {
    const message = 'unexpected status 401 Unauthorized: no, url: http://127.0.0.1/responses';
    expect(read({ type: 'error', message }, { type: 'turn.failed', error: { message } })).toMatchObject([
      { kind: 'failed', problem: { status: 401 } },
    ]);
  });

  it('takes a retry for a notice', () => {
    expect(read({ type: 'error', message: 'Reconnecting... 1/2 (Connection failed)' })).toMatchObject([
      { kind: 'notice' },
    ]);
  });

  it('reads past what later versions add, and knows what is none of its lines', () => {
    expect(read({ type: 'item.updated' }, item('item.completed', { type: 'dream' }))).toEqual([]);
    expect(read({ type: 'system' }, 'hello', 3)).toEqual([null, null, null]);
  });
});

it.each([
  ['You’ve hit your usage limit. Upgrade to Pro or try again at 4:40 AM.', 429, 'usage_limit_reached'],
  ['Quota exceeded. Check your plan and billing details.', 429, 'insufficient_quota'],
  ['Selected model is at capacity. Please try a different model.', 503, 'server_is_overloaded'],
  ['exceeded retry limit, last status: 429 Too Many Requests', 429, null],
  ['unexpected status 502 Bad Gateway: x, url: http://x', 502, null],
  ['Connection failed: error sending request', 0, 'connection_failed'],
  ['The work says: You’ve hit your usage limit.', null, null],
])('knows what "%s" stands for', (message, status, type) => {
  expect(problemOf(message)).toEqual({ status, type, message, resetsAt: null });
});
