import type Anthropic from '@anthropic-ai/sdk';
import { callsOf, type Entry, type Reply, type ToolResult } from './conversation.ts';

type Message = Anthropic.MessageParam;

const CACHED: Anthropic.CacheControlEphemeral = { type: 'ephemeral' };

export interface RequestParts {
  readonly model: string;
  readonly maxTokens: number;
  readonly system: string;
  readonly tools: readonly Anthropic.Tool[];
  readonly entries: readonly Entry[];
}

/**
 * The request for the next reply. Everything stable is cached, with the four breakpoints that the API allows: the
 * tools, the system prompt, and the newest two of our own messages. The older of these is where the call before
 * wrote its cache, so it is found however many blocks have come since.
 */
export function requestFor(parts: RequestParts): Anthropic.MessageStreamParams {
  const messages = messagesFrom(parts.entries, parts.model);
  const ours = messages.filter(({ role }) => role === 'user');
  for (const message of ours.slice(-2)) markCached(message);
  return {
    model: parts.model,
    max_tokens: parts.maxTokens,
    ...(parts.system.trim() === ''
      ? {}
      : { system: [{ type: 'text', text: parts.system, cache_control: CACHED }] }),
    tools: parts.tools.map((tool, index) =>
      index === parts.tools.length - 1 ? { ...tool, cache_control: CACHED } : tool,
    ),
    messages,
  };
}

function markCached({ content }: Message): void {
  const block = typeof content === 'string' ? undefined : content.at(-1);
  if (block?.type === 'text' || block?.type === 'tool_result') block.cache_control = CACHED;
}

/**
 * The conversation as the API wants it: the two sides in turn, every tool call answered at once. Calls that were
 * never answered, because a turn was ended between the two, get an answer that says so.
 */
function messagesFrom(entries: readonly Entry[], model: string): Message[] {
  const messages: Message[] = [];
  let open: readonly string[] = [];
  let results = new Map<string, Anthropic.ToolResultBlockParam>();
  let texts: Anthropic.TextBlockParam[] = [];
  const sayOurs = (): void => {
    const content = [...open.map((id) => results.get(id) ?? resultOfEndedTurn(id)), ...texts];
    // The API takes no two replies in a row, and none at the end.
    messages.push({
      role: 'user',
      content: content.length === 0 ? [{ type: 'text', text: 'Go on.' }] : content,
    });
    results = new Map();
    texts = [];
  };
  for (const entry of entries) {
    if (entry.kind === 'results') {
      for (const result of entry.results) results.set(result.id, resultBlock(result));
    } else if (entry.kind === 'reply') {
      const content = repliedBlocks(entry, model);
      // A reply of nothing cannot be sent back; what we say before and after it becomes one message.
      if (content.length === 0) continue;
      sayOurs();
      messages.push({ role: 'assistant', content });
      open = callsOf(entry).map(({ id }) => id);
    } else {
      texts.push({ type: 'text', text: textOf(entry) });
    }
  }
  sayOurs();
  return messages;
}

function textOf(entry: Exclude<Entry, { kind: 'reply' | 'results' }>): string {
  return entry.kind === 'follow_up' ? `A message that came while you work:\n\n${entry.text}` : entry.text;
}

function resultBlock({ id, ok, text }: ToolResult): Anthropic.ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: text.trim() === '' ? '(nothing)' : text,
    ...(ok ? {} : { is_error: true }),
  };
}

function resultOfEndedTurn(id: string): Anthropic.ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: id,
    content:
      'The turn was ended here, and no result was kept. Look at what is there before you rely on this call.',
    is_error: true,
  };
}

/** Empty texts are refused by the API; what a model thought is bound to that model. */
function repliedBlocks(reply: Reply, model: string): Anthropic.ContentBlockParam[] {
  const blocks: Anthropic.ContentBlockParam[] = [];
  for (const block of reply.content) {
    if (isText(block)) {
      if (block.text.trim() !== '') blocks.push(block);
    } else if (isCall(block)) {
      blocks.push(block);
    } else if (reply.model === model) {
      // Whatever the API sent, it takes back.
      blocks.push(block as unknown as Anthropic.ContentBlockParam);
    }
  }
  return blocks.some((block) => block.type === 'text' || block.type === 'tool_use') ? blocks : [];
}

type ReplyBlock = Reply['content'][number];
const isText = (block: ReplyBlock): block is Extract<ReplyBlock, { type: 'text' }> => block.type === 'text';
const isCall = (block: ReplyBlock): block is Extract<ReplyBlock, { type: 'tool_use' }> =>
  block.type === 'tool_use';
