import type { OutputItem, ResponseReply, ReplyUsage } from './script.ts';

/** One event of the stream: its `type` is also the SSE event's name. */
export type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Characters of text, or of a call's arguments, in one delta: few, so that replies come in several. */
const DELTA_CHARACTERS = 24;

export interface About {
  readonly id: string;
  readonly model: string;
  readonly usage: ReplyUsage;
  readonly newId: () => string;
}

/**
 * The events of a response, in the API's order.
 * Source: https://developers.openai.com/api/docs/guides/streaming-responses and the API reference on streaming events.
 */
export function eventsOf(reply: ResponseReply, about: About): readonly StreamEvent[] {
  const items = reply.output.map((item) => wireItem(item, about.newId));
  const begun = { ...base(about), status: 'in_progress', output: [], usage: null };
  const events: readonly StreamEvent[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, index) => eventsOfItem(item, index)),
    {
      type: 'response.completed',
      response: { ...base(about), status: 'completed', output: items, usage: wireUsage(about.usage) },
    },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

/** The last event of a response that failed after it had begun. */
export function failedEvent(about: About, code: string, message: string): StreamEvent {
  return {
    type: 'response.failed',
    response: { ...base(about), status: 'failed', output: [], usage: null, error: { code, message } },
  };
}

export function sse(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function base({ id, model }: About) {
  return { id, object: 'response', created_at: 0, model, error: null };
}

function wireUsage({ input_tokens: input, cached_tokens: cached, output_tokens: output }: ReplyUsage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

type WireItem = { readonly type: string; readonly id: string } & Readonly<Record<string, unknown>>;

function wireItem(item: OutputItem, newId: () => string): WireItem {
  switch (item.type) {
    case 'message':
      return {
        type: 'message',
        id: `msg_${newId()}`,
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: item.text, annotations: [] }],
      };
    case 'function_call':
      return { ...callFields(item, `fc_${newId()}`, newId), arguments: JSON.stringify(item.input) };
    case 'custom_tool_call':
      return { ...callFields(item, `ctc_${newId()}`, newId), input: item.input };
    case 'reasoning':
      return {
        type: 'reasoning',
        id: `rs_${newId()}`,
        summary: [{ type: 'summary_text', text: item.summary }],
        encrypted_content: `sealed-${newId()}`,
      };
  }
}

function callFields(
  { type, name, namespace, callId }: Extract<OutputItem, { name: string }>,
  id: string,
  newId: () => string,
) {
  return {
    type,
    id,
    status: 'completed',
    call_id: callId ?? `call_${newId()}`,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function eventsOfItem(item: WireItem, index: number): readonly StreamEvent[] {
  const at = { output_index: index, item_id: item.id };
  const added: StreamEvent = {
    type: 'response.output_item.added',
    output_index: index,
    item: { ...item, ...emptied(item) },
  };
  const done: StreamEvent = { type: 'response.output_item.done', output_index: index, item };
  return [added, ...eventsWithin(item, at), done];
}

/** An item as it is announced: its content comes afterwards. */
function emptied(item: WireItem): Readonly<Record<string, unknown>> {
  switch (item.type) {
    case 'message':
      return { status: 'in_progress', content: [] };
    case 'function_call':
      return { status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { status: 'in_progress', input: '' };
    default:
      return { summary: [] };
  }
}

function eventsWithin(item: WireItem, at: object): readonly StreamEvent[] {
  if (item.type === 'function_call') {
    const text = String(item['arguments']);
    const name = 'response.function_call_arguments';
    return [...deltas(`${name}.delta`, at, text), { type: `${name}.done`, ...at, arguments: text }];
  }
  if (item.type === 'custom_tool_call') {
    const text = String(item['input']);
    const name = 'response.custom_tool_call_input';
    return [...deltas(`${name}.delta`, at, text), { type: `${name}.done`, ...at, input: text }];
  }
  if (item.type !== 'message' || !Array.isArray(item['content'])) return [];
  const [part] = item['content'] as readonly { readonly text: string }[];
  const text = part?.text ?? '';
  const within = { ...at, content_index: 0 };
  return [
    { type: 'response.content_part.added', ...within, part: { ...part, text: '' } },
    ...deltas('response.output_text.delta', within, text),
    { type: 'response.output_text.done', ...within, text },
    { type: 'response.content_part.done', ...within, part },
  ];
}

function deltas(type: string, at: object, text: string): readonly StreamEvent[] {
  const characters = Array.from(text);
  const parts: StreamEvent[] = [];
  for (let from = 0; from < characters.length; from += DELTA_CHARACTERS) {
    parts.push({ type, ...at, delta: characters.slice(from, from + DELTA_CHARACTERS).join('') });
  }
  return parts;
}
