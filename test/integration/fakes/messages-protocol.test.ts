import { describe, expect, it } from 'vitest';
import { readRequest } from '../../fakes/messages-server/protocol.ts';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const call = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'fine' });
const text = (words: string) => ({ type: 'text', text: words });
const tools = [{ name: 'look', input_schema: { type: 'object' } }];
const mark = { cache_control: { type: 'ephemeral' } };

const request = (over: Readonly<Record<string, unknown>>) =>
  readRequest({ model: 'm', max_tokens: 10, stream: true, messages: [user('hello')], tools, ...over });

describe('the protocol', () => {
  it.each([
    ['a question', {}],
    [
      'calls answered at once',
      {
        messages: [
          user('a'),
          assistant([text('b'), call('1'), call('2')]),
          user([result('2'), result('1'), text('c')]),
        ],
      },
    ],
    [
      'four cache breakpoints',
      {
        system: [{ ...text('s'), ...mark }],
        tools: [{ ...tools[0], ...mark }],
        messages: [user([{ ...text('a'), ...mark }]), assistant('b'), user([{ ...text('c'), ...mark }])],
      },
    ],
  ])('accepts %s', (_what, over) => {
    expect(request(over)).toMatchObject({ ok: true });
  });

  it.each([
    ['no limit of tokens', { max_tokens: undefined }],
    ['no messages', { messages: [] }],
    ['an assistant that begins', { messages: [assistant('a'), user('b')] }],
    ['an assistant at the end', { messages: [user('a'), assistant('b')] }],
    ['two users in a row', { messages: [user('a'), user('b')] }],
    ['empty text', { messages: [user([text(' ')])] }],
    ['empty content', { messages: [user([])] }],
    ['a call without its result', { messages: [user('a'), assistant([call('1')]), user('b')] }],
    [
      'a result that comes too late',
      { messages: [user('a'), assistant([call('1')]), user('b'), assistant('c'), user([result('1')])] },
    ],
    ['a result without its call', { messages: [user([result('1')])] }],
    ['a result twice', { messages: [user('a'), assistant([call('1')]), user([result('1'), result('1')])] }],
    [
      'a result after words',
      { messages: [user('a'), assistant([call('1')]), user([text('b'), result('1')])] },
    ],
    ['a call of the user', { messages: [user([call('1')])] }],
    [
      'calls with one id',
      {
        messages: [
          user('a'),
          assistant([call('1')]),
          user([result('1')]),
          assistant([call('1')]),
          user([result('1')]),
        ],
      },
    ],
    [
      'calls without tools',
      { tools: [], messages: [user('a'), assistant([call('1')]), user([result('1')])] },
    ],
    ['a tool with an odd name', { tools: [{ ...tools[0], name: 'look around' }] }],
    ['tools with one name', { tools: [tools[0], tools[0]] }],
    ['a tool whose input is no object', { tools: [{ name: 'look', input_schema: { type: 'string' } }] }],
    [
      'five cache breakpoints',
      { messages: [user(Array.from({ length: 5 }, () => ({ ...text('a'), ...mark })))] },
    ],
    ['a parameter that the API does not have any more', { temperature: 1 }],
    ['a forced tool', { tool_choice: { type: 'tool', name: 'look' } }],
  ])('refuses %s', (_what, over) => {
    expect(request(over)).toMatchObject({ ok: false });
  });
});
