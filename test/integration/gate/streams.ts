/** Server-sent events as the APIs write them. */
export function sse(
  ...events: readonly ({ readonly type: string } & Readonly<Record<string, unknown>>)[]
): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** A Messages stream that counts 12 input, 34 output, 5 cache-read and 6 cache-write tokens. */
export const messagesStream = sse(
  {
    type: 'message_start',
    message: {
      type: 'message',
      model: 'claude-sonnet-5-5',
      usage: {
        input_tokens: 12,
        output_tokens: 1,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: 6,
      },
    },
  },
  { type: 'ping' },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'It says "usage": {"output_tokens": 999} – ünïcode ✓' },
  },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 34 } },
  { type: 'message_stop' },
);

/** The same call as a stream of Responses: 17 input tokens, of which 5 came from the cache, and 34 output. */
export const responsesStream = sse(
  {
    type: 'response.created',
    response: { id: 'r1', model: 'gpt-5.5', status: 'in_progress', usage: null, error: null },
  },
  { type: 'response.output_text.delta', delta: 'It says "usage": {"output_tokens": 999} ✓' },
  {
    type: 'response.completed',
    response: {
      id: 'r1',
      model: 'gpt-5.5',
      status: 'completed',
      error: null,
      usage: { input_tokens: 17, input_tokens_details: { cached_tokens: 5 }, output_tokens: 34 },
    },
  },
);
