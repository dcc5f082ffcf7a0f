import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../../src/main/engines/anthropic/conversation.ts';
import { requestFor } from '../../../../../src/main/engines/anthropic/request.ts';
import { readRequest } from '../../../../fakes/messages-server/protocol.ts';

const MODEL = 'claude-sonnet-5-5';
const tools = [{ name: 'list_files', input_schema: { type: 'object' as const } }];

function requestOf(entries: readonly Entry[], model = MODEL) {
  return requestFor({ model, maxTokens: 100, system: 'You are the owner.', tools, entries });
}

/** Whatever a session can hold: also replies of nothing, calls without results, and results without calls. */
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({
    kind: fc.constant('prompt' as const),
    turn: fc.constant('turn_1'),
    text: fc.constant('Do it.'),
  }),
  fc.record({ kind: fc.constant('note' as const), text: fc.constant('Go on.') }),
  fc.record({
    kind: fc.constant('follow_up' as const),
    message: fc.constant('msg_1'),
    text: fc.constant('Also.'),
  }),
  fc.record({
    kind: fc.constant('results' as const),
    results: fc
      .array(
        fc.record({ id: fc.constantFrom('a', 'b'), ok: fc.boolean(), text: fc.constantFrom('', 'fine') }),
        {
          maxLength: 2,
        },
      )
      .map((results) => results.filter((one, at) => results.findIndex(({ id }) => id === one.id) === at)),
  }),
  fc.record({
    kind: fc.constant('reply' as const),
    model: fc.constantFrom(MODEL, 'claude-opus-5-5'),
    stop: fc.constantFrom('end_turn', 'tool_use', 'max_tokens'),
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('text' as const), text: fc.constantFrom('', ' ', 'words') }),
        fc.record({
          type: fc.constant('thinking' as const),
          thinking: fc.constant('hm'),
          signature: fc.constant('s'),
        }),
        fc.constant({ type: 'tool_use' as const, id: 'a', name: 'list_files', input: {} }),
      ),
      { maxLength: 3 },
    ),
  }),
);

/** Every call of a conversation has an id of its own, as the API gives them; results refer to the call before. */
function withOwnIds(entries: readonly Entry[]): readonly Entry[] {
  let calls = 0;
  return entries.map((one) => {
    if (one.kind === 'reply') {
      const content = one.content.map((block) => {
        if (block.type !== 'tool_use') return block;
        calls += 1;
        return { type: 'tool_use' as const, id: `call-${calls}`, name: 'list_files', input: {} };
      });
      return { ...one, content };
    }
    if (one.kind !== 'results') return one;
    return {
      ...one,
      results: one.results.map((result) => ({
        ...result,
        id: `call-${calls - (result.id === 'a' ? 0 : 1)}`,
      })),
    };
  });
}

describe('requestFor', () => {
  it('makes of any transcript a request that the API accepts', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), (entries) => {
        const request = requestOf([
          { kind: 'prompt', turn: 'turn_1', text: 'Begin.' },
          ...withOwnIds(entries),
          { kind: 'note', text: 'And now?' },
        ]);
        const read = readRequest({ ...request, stream: true });
        expect(read.ok ? '' : read.problem).toBe('');
      }),
      { numRuns: 500 },
    );
  });

  it('answers a call that was left open, and says that nothing was kept', () => {
    const { messages } = requestOf([
      { kind: 'prompt', turn: 'turn_1', text: 'Begin.' },
      {
        kind: 'reply',
        model: MODEL,
        stop: 'tool_use',
        content: [{ type: 'tool_use', id: 'a', name: 'list_files', input: {} }],
      },
      { kind: 'prompt', turn: 'turn_2', text: 'Next.' },
    ]);
    expect(messages[2]).toMatchObject({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', is_error: true },
        { type: 'text', text: 'Next.' },
      ],
    });
  });

  it('leaves out an empty system prompt, which the API refuses', () => {
    const request = requestFor({
      model: MODEL,
      maxTokens: 1,
      system: ' ',
      tools,
      entries: [{ kind: 'note', text: 'x' }],
    });
    expect(request).not.toHaveProperty('system');
  });
});
