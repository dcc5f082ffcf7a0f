import { z } from 'zod';
import type { CliEvent, CliProblem, CliReader } from '../coding-cli/dialect.ts';
import { TOOL_PREFIX } from './launch.ts';
import { UsageCount } from './usage-count.ts';
import { inputSummary } from '../coding-cli/input-summary.ts';

const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});
const toolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().optional(),
  content: z.union([z.string(), z.array(z.unknown())]).optional(),
});

const usage = z.object({
  input_tokens: z.number().default(0),
  output_tokens: z.number().default(0),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
});

/** What it prints, as far as a turn needs it. Unknown kinds come with every version: they are read past. */
const lineSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('system'),
    subtype: z.string(),
    session_id: z.string().optional(),
    apiKeySource: z.string().optional(),
    attempt: z.number().optional(),
    max_retries: z.number().optional(),
    error_status: z.number().nullish(),
    error: z.string().nullish(),
  }),
  z.object({
    type: z.literal('assistant'),
    parent_tool_use_id: z.string().nullish(),
    message: z.object({ model: z.string(), content: z.array(z.unknown()) }),
  }),
  z.object({
    type: z.literal('user'),
    uuid: z.string().optional(),
    isReplay: z.boolean().optional(),
    message: z.object({ content: z.union([z.string(), z.array(z.unknown())]) }),
  }),
  z.object({
    type: z.literal('stream_event'),
    event: z.discriminatedUnion('type', [
      z.object({ type: z.literal('message_start'), message: z.object({ model: z.string(), usage }) }),
      z.object({ type: z.literal('message_delta'), usage }),
    ]),
  }),
  z.object({
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.object({ status: z.string(), resetsAt: z.number().nullish() }),
  }),
  z.object({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean(),
    api_error_status: z.number().nullish(),
    result: z.string().optional(),
    errors: z.array(z.string()).optional(),
    modelUsage: z
      .record(
        z.string(),
        z.object({
          inputTokens: z.number(),
          outputTokens: z.number(),
          cacheReadInputTokens: z.number(),
          cacheCreationInputTokens: z.number(),
          costUSD: z.number(),
        }),
      )
      .default({}),
  }),
]);
type Line = z.infer<typeof lineSchema>;
type ResultLine = Extract<Line, { type: 'result' }>;

/** Any line of the protocol has a type. */
const anyLine = z.looseObject({ type: z.string() });

/** What it puts where a model's answer would be when there was none; the result that follows says the same. */
const SYNTHETIC_MODEL = '<synthetic>';
/** Reset times come in seconds from some versions, in milliseconds from others. */
const MILLISECONDS_FROM = 1e12;

/** Reads what one `claude --output-format stream-json` prints. */
export function claudeCodeReader(): CliReader {
  const count = new UsageCount();
  let resetsAt: number | null = null;

  const readSystem = (line: Extract<Line, { type: 'system' }>): readonly CliEvent[] => {
    if (line.subtype === 'init' && line.session_id !== undefined) {
      count.paidBy(line.apiKeySource ?? null);
      return [{ kind: 'session', id: line.session_id }];
    }
    if (line.subtype !== 'api_retry') return [];
    const why = [line.error, line.error_status].filter((part) => part !== undefined && part !== null);
    const text = `A call failed (${why.join(', ')}); it is tried again (${line.attempt ?? 1} of ${line.max_retries ?? '?'}).`;
    return [{ kind: 'notice', text }];
  };

  const readResult = (line: ResultLine): readonly CliEvent[] => {
    const used = count.rest(line.modelUsage);
    if (!line.is_error) return [...used, { kind: 'answered' }];
    return [...used, { kind: 'failed', problem: problemOf(line, resetsAt) }];
  };

  return {
    read(raw) {
      const parsed = lineSchema.safeParse(raw);
      if (!parsed.success) return anyLine.safeParse(raw).success ? [] : null;
      const line = parsed.data;
      switch (line.type) {
        case 'system':
          return readSystem(line);
        case 'assistant':
          return line.message.model === SYNTHETIC_MODEL
            ? []
            : line.message.content.flatMap((block) => spoken(block, line.parent_tool_use_id ?? null));
        case 'user':
          if (line.isReplay === true) {
            return line.uuid === undefined ? [] : [{ kind: 'input_taken', id: line.uuid }];
          }
          return typeof line.message.content === 'string' ? [] : line.message.content.flatMap(toolEnded);
        case 'stream_event':
          return count.of(line.event);
        case 'rate_limit_event': {
          const { status, resetsAt: at } = line.rate_limit_info;
          if (status === 'rejected') resetsAt = at === undefined || at === null ? null : inMilliseconds(at);
          return [];
        }
        case 'result':
          return readResult(line);
      }
    },
  };
}

/** Words of an agent's own helpers are no words of the agent; what they do is shown. */
function spoken(raw: unknown, helperOf: string | null): readonly CliEvent[] {
  const text = textBlock.safeParse(raw);
  if (text.success) return helperOf === null ? [{ kind: 'text', text: text.data.text }] : [];
  const call = toolUse.safeParse(raw);
  if (!call.success) return [];
  const { id, name, input } = call.data;
  const tool = name.startsWith(TOOL_PREFIX) ? name.slice(TOOL_PREFIX.length) : name;
  return [{ kind: 'tool_started', id, tool, summary: inputSummary(input), input }];
}

function toolEnded(raw: unknown): readonly CliEvent[] {
  const { data } = toolResult.safeParse(raw);
  if (data === undefined) return [];
  const { content = '' } = data;
  const answer =
    typeof content === 'string'
      ? content
      : content.flatMap((block) => textBlock.safeParse(block).data?.text ?? []).join('\n');
  return [{ kind: 'tool_ended', id: data.tool_use_id, ok: data.is_error !== true, answer }];
}

function problemOf(line: ResultLine, resetsAt: number | null): CliProblem {
  const said = line.result ?? line.errors?.join(' ') ?? '';
  const message = said.replace(/^API Error: /, '');
  // A limit of a subscription comes as an event of its own, whatever the result says.
  const usedUp = resetsAt !== null && line.api_error_status === 429;
  return {
    status: line.api_error_status ?? null,
    type: usedUp ? 'usage_limit_reached' : null,
    message: message === '' ? `it ended with "${line.subtype}"` : message,
    resetsAt: usedUp ? resetsAt : null,
  };
}

function inMilliseconds(at: number): number {
  return at < MILLISECONDS_FROM ? at * 1_000 : at;
}
