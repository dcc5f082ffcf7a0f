import { z } from 'zod';

/**
 * The part of the Messages API's request that an agent's engine uses, and the rules by which the API refuses
 * one. Source: https://platform.claude.com/docs/en/api/messages, the pages on tool use and on prompt caching, and
 * the refusals that the API itself gives.
 */
const cacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });
const cached = { cache_control: cacheControl.optional() };

const textBlock = z.strictObject({ type: z.literal('text'), text: z.string(), ...cached });
const toolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  ...cached,
});
const toolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(textBlock)]).optional(),
  is_error: z.boolean().optional(),
  ...cached,
});
const thinkingBlock = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
});

const message = z.strictObject({
  // Instructions in the middle of a conversation: a beta that coding agents use.
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([
    z.string(),
    z.array(z.discriminatedUnion('type', [textBlock, toolUseBlock, toolResultBlock, thinkingBlock])),
  ]),
  // With the same beta: from here on.
  output_config: z.looseObject({}).optional(),
});

const tool = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  ...cached,
});

const messagesRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z.array(tool).optional(),
  tool_choice: z.strictObject({ type: z.enum(['auto', 'none']) }).optional(),
  stream: z.boolean().default(false),
  // What coding agents add; their form is theirs to keep.
  metadata: z.looseObject({}).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
  context_management: z.looseObject({}).optional(),
  output_config: z.looseObject({}).optional(),
});

export type MessagesRequest = z.infer<typeof messagesRequest>;
export type RequestMessage = z.infer<typeof message>;
type Block = Exclude<RequestMessage['content'], string>[number];

/** The request, or in the API's words why it is refused. */
export function readRequest(
  body: unknown,
):
  | { readonly ok: true; readonly request: MessagesRequest }
  | { readonly ok: false; readonly problem: string } {
  const parsed = messagesRequest.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      ok: false,
      problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'Input is malformed'}`,
    };
  }
  const problem = problemOf(parsed.data);
  return problem === null ? { ok: true, request: parsed.data } : { ok: false, problem };
}

export function blocksOf({ content }: RequestMessage): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** All text of a message: what was said in it and what its tool results hold. */
export function textOf(message: RequestMessage): string {
  const texts = blocksOf(message).map((block) => {
    if (block.type === 'text') return block.text;
    if (block.type !== 'tool_result' || block.content === undefined) return '';
    return typeof block.content === 'string'
      ? block.content
      : block.content.map(({ text }) => text).join('\n');
  });
  return texts.join('\n');
}

function problemOf(request: MessagesRequest): string | null {
  return problemOfTurns(request.messages) ?? problemOfTools(request) ?? problemOfCaching(request);
}

function problemOfTurns(all: readonly RequestMessage[]): string | null {
  const messages = all.filter(({ role }) => role !== 'system');
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role !== 'user') {
    return 'This model does not support assistant message prefill. The conversation must end with a user message.';
  }
  for (const [index, current] of messages.entries()) {
    const before = messages[index - 1];
    if (before?.role === current.role) {
      return `messages: roles must alternate between "user" and "assistant", but found multiple "${current.role}" roles in a row`;
    }
    const problem =
      problemOfBlocks(blocksOf(current), current.role, index) ?? problemOfResults(before, current, index);
    if (problem !== null) return problem;
  }
  return null;
}

function problemOfBlocks(
  blocks: readonly Block[],
  role: RequestMessage['role'],
  index: number,
): string | null {
  if (blocks.length === 0) return `messages.${index}: all messages must have non-empty content`;
  for (const block of blocks) {
    if (block.type === 'text' && block.text.trim() === '') {
      return 'messages: text content blocks must contain non-whitespace text';
    }
    if (role === 'user' && (block.type === 'tool_use' || block.type === 'thinking')) {
      return `messages.${index}: \`${block.type}\` blocks can only be in \`assistant\` messages`;
    }
    if (role === 'assistant' && block.type === 'tool_result') {
      return `messages.${index}: \`tool_result\` blocks can only be in \`user\` messages`;
    }
  }
  return null;
}

/** Every call is answered by the next message, at its beginning, and nothing else is. */
function problemOfResults(
  before: RequestMessage | undefined,
  current: RequestMessage,
  index: number,
): string | null {
  if (current.role !== 'user') return null;
  const asked = (before === undefined ? [] : blocksOf(before)).filter((block) => block.type === 'tool_use');
  const blocks = blocksOf(current);
  const results = blocks.filter((block) => block.type === 'tool_result');
  const answered = results.map((result) => result.tool_use_id);
  const open = asked.filter(({ id }) => !answered.includes(id)).map(({ id }) => id);
  if (open.length > 0) {
    return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  }
  const stray = answered.find((id) => !asked.some((call) => call.id === id));
  if (stray !== undefined) {
    return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  if (new Set(answered).size !== answered.length) {
    return `messages.${index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks`;
  }
  if (blocks.slice(0, results.length).some((block) => block.type !== 'tool_result')) {
    return `messages.${index}: \`tool_result\` blocks must come before other content`;
  }
  return null;
}

function problemOfTools({ tools = [], messages }: MessagesRequest): string | null {
  const names = tools.map(({ name }) => name);
  if (new Set(names).size !== names.length) return 'tools: Tool names must be unique.';
  const calls = messages.flatMap(blocksOf).filter((block) => block.type === 'tool_use');
  if (calls.length > 0 && tools.length === 0) {
    return 'Requests which include `tool_use` or `tool_result` blocks must define tools';
  }
  const ids = calls.map(({ id }) => id);
  return new Set(ids).size === ids.length ? null : 'messages: `tool_use` ids must be unique';
}

const MAX_CACHE_BREAKPOINTS = 4;

function problemOfCaching({ system, tools = [], messages }: MessagesRequest): string | null {
  const marked = [
    ...(typeof system === 'string' || system === undefined ? [] : system),
    ...tools,
    ...messages.flatMap(blocksOf),
  ].filter((block) => 'cache_control' in block && block.cache_control !== undefined);
  return marked.length <= MAX_CACHE_BREAKPOINTS
    ? null
    : `A maximum of ${MAX_CACHE_BREAKPOINTS} blocks with cache_control may be provided. Found ${marked.length}.`;
}
