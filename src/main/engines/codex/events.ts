import { z } from 'zod';

const itemBase = { id: z.string() };
const status = z.string();

/** What an item of a turn is, as far as a turn of ours needs it. */
export const itemSchema = z.discriminatedUnion('type', [
  z.object({ ...itemBase, type: z.literal('agent_message'), text: z.string() }),
  z.object({
    ...itemBase,
    type: z.literal('command_execution'),
    command: z.string(),
    aggregated_output: z.string().default(''),
    exit_code: z.number().nullish(),
    status,
  }),
  z.object({
    ...itemBase,
    type: z.literal('file_change'),
    changes: z.array(z.object({ path: z.string(), kind: z.string() })),
    status,
  }),
  z.object({
    ...itemBase,
    type: z.literal('mcp_tool_call'),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown(),
    result: z.object({ content: z.array(z.unknown()) }).nullish(),
    error: z.object({ message: z.string() }).nullish(),
    status,
  }),
  z.object({ ...itemBase, type: z.literal('web_search'), query: z.string().default('') }),
  z.object({ ...itemBase, type: z.literal('error'), message: z.string() }),
]);

/** What an event is about: words, a command, a call of a tool, a change. */
export type Item = z.infer<typeof itemSchema>;

const usageSchema = z.object({
  /** Cached tokens and those written into the cache are counted in it. */
  input_tokens: z.number(),
  cached_input_tokens: z.number().default(0),
  cache_write_input_tokens: z.number().default(0),
  output_tokens: z.number(),
});

/** What `codex exec --json` prints, one a line. Unknown kinds come with every version: they are read past. */
export const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thread.started'), thread_id: z.string().min(1) }),
  z.object({ type: z.literal('turn.started') }),
  z.object({ type: z.literal('turn.completed'), usage: usageSchema }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal('error'), message: z.string() }),
  z.object({ type: z.literal('item.started'), item: z.unknown() }),
  z.object({ type: z.literal('item.completed'), item: z.unknown() }),
]);

/** A line that we know of what `codex exec --json` prints. */
export type CodexEvent = z.infer<typeof eventSchema>;
/** Tokens of a turn; input counts those that were read from the cache and written to it. */
export type CodexUsage = z.infer<typeof usageSchema>;

/** Of these kinds is everything that it prints, in this version and in later ones. */
export const anyEvent = z.object({ type: z.string().regex(/^(?:thread|turn|item)\.|^error$/) });
