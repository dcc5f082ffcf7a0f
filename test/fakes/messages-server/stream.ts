import type { MessageReply, ReplyBlock, ReplyUsage } from './script.ts';

/** One event of the stream: its `type` is also the SSE event's name. */
export type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Characters of text, or of a tool call's JSON, in one delta: few, so that replies come in several. */
const DELTA_CHARACTERS = 24;

/**
 * The events of a message, in the API's order.
 * Source: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function eventsOf(
  reply: MessageReply,
  about: {
    readonly id: string;
    readonly model: string;
    readonly usage: ReplyUsage;
    readonly newId: () => string;
  },
): readonly StreamEvent[] {
  const { output_tokens: outputTokens, ...inputUsage } = about.usage;
  const callsTool = reply.content.some((block) => block.type === 'tool_use');
  return [
    {
      type: 'message_start',
      message: {
        id: about.id,
        type: 'message',
        role: 'assistant',
        model: about.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...inputUsage, output_tokens: 1 },
      },
    },
    { type: 'ping' },
    ...reply.content.flatMap((block, index) => eventsOfBlock(block, index, about.newId)),
    {
      type: 'message_delta',
      delta: { stop_reason: reply.stop ?? (callsTool ? 'tool_use' : 'end_turn'), stop_sequence: null },
      usage: { output_tokens: outputTokens },
    },
    { type: 'message_stop' },
  ];
}

function eventsOfBlock(block: ReplyBlock, index: number, newId: () => string): readonly StreamEvent[] {
  const start = (content: object): StreamEvent => ({
    type: 'content_block_start',
    index,
    content_block: content,
  });
  const delta = (content: object): StreamEvent => ({ type: 'content_block_delta', index, delta: content });
  const stop: StreamEvent = { type: 'content_block_stop', index };
  switch (block.type) {
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...pieces(block.text).map((text) => delta({ type: 'text_delta', text })),
        stop,
      ];
    case 'tool_use':
      return [
        start({ type: 'tool_use', id: block.id ?? `toolu_${newId()}`, name: block.name, input: {} }),
        ...['', ...pieces(JSON.stringify(block.input))].map((json) =>
          delta({ type: 'input_json_delta', partial_json: json }),
        ),
        stop,
      ];
    case 'thinking':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...pieces(block.thinking).map((thinking) => delta({ type: 'thinking_delta', thinking })),
        delta({ type: 'signature_delta', signature: block.signature }),
        stop,
      ];
  }
}

function pieces(text: string): readonly string[] {
  const characters = Array.from(text);
  const parts: string[] = [];
  for (let from = 0; from < characters.length; from += DELTA_CHARACTERS) {
    parts.push(characters.slice(from, from + DELTA_CHARACTERS).join(''));
  }
  return parts;
}

export function sse(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
