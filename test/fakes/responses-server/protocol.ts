import { z } from 'zod';

/**
 * The part of the Responses API's request that coding agents use, and the rules by which the API refuses one. Source:
 * https://developers.openai.com/api/reference/resources/responses, the guides on function calling and streaming, and
 * the refusals that the API itself gives. Fields that no rule here is about may be there.
 */
const inputText = z.looseObject({ type: z.enum(['input_text', 'output_text']), text: z.string() });
const inputPart = z.union([
  inputText,
  z.looseObject({ type: z.enum(['input_image', 'input_file', 'refusal']) }),
]);

const messageItem = z.looseObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(inputPart)]),
});
const callItem = z.looseObject({
  type: z.enum(['function_call', 'custom_tool_call']),
  call_id: z.string().min(1).max(64),
  name: z.string().min(1),
  namespace: z.string().optional(),
});
const callOutputItem = z.looseObject({
  type: z.enum(['function_call_output', 'custom_tool_call_output']),
  call_id: z.string().min(1),
  output: z.union([z.string(), z.array(inputPart)]),
});
const toolItem = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
});
const reasoningItem = z.looseObject({ type: z.literal('reasoning'), summary: z.array(z.unknown()) });
const toolsItem = z.looseObject({ type: z.literal('additional_tools'), tools: z.array(z.unknown()) });

const item = z.union([callItem, callOutputItem, reasoningItem, toolsItem, messageItem]);

const tool: z.ZodType<OfferedTool> = toolItem.and(
  z.looseObject({ tools: z.array(z.lazy(() => toolItem)).optional() }),
);

interface OfferedTool {
  readonly type: string;
  readonly name?: string | undefined;
  readonly tools?: readonly { readonly type: string; readonly name?: string | undefined }[] | undefined;
}

const responsesRequest = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(item).min(1)]),
  instructions: z.string().optional(),
  tools: z.array(tool).optional(),
  max_output_tokens: z.int().min(16).optional(),
  stream: z.literal(true),
});

export type ResponsesRequest = z.infer<typeof responsesRequest>;
export type RequestItem = z.infer<typeof item>;

/** The request, or in the API's words why it is refused. */
export function readRequest(
  body: unknown,
):
  | { readonly ok: true; readonly request: ResponsesRequest }
  | { readonly ok: false; readonly problem: string } {
  const parsed = responsesRequest.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      ok: false,
      problem: `Invalid '${issue?.path.join('.') ?? ''}': ${issue?.message ?? 'malformed'}`,
    };
  }
  const problem = problemOfCalls(itemsOf(parsed.data));
  return problem === null ? { ok: true, request: parsed.data } : { ok: false, problem };
}

export function itemsOf({ input }: ResponsesRequest): readonly RequestItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

/** All text of an item: what was said in it, or what a tool answered. */
export function textOf(item: RequestItem): string {
  const content = 'content' in item ? item.content : 'output' in item ? item.output : '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => inputText.safeParse(part).data?.text ?? '').join('\n');
}

/** What was said by users, developers and tools, all of it. */
export function saidIn(request: ResponsesRequest): string {
  return [request.instructions ?? '', ...itemsOf(request).map(textOf)].join('\n');
}

/** Names of all tools that the request offers, `<namespace>__<name>` where they are in one. */
export function toolNamesIn(request: ResponsesRequest): readonly string[] {
  const more = itemsOf(request).flatMap((one) => ('tools' in one ? z.array(tool).parse(one.tools) : []));
  return [...(request.tools ?? []), ...more].flatMap(({ type, name, tools }) =>
    tools === undefined
      ? [name ?? type]
      : tools.map((inner) =>
          name === 'functions' ? (inner.name ?? '') : `${name ?? ''}__${inner.name ?? ''}`,
        ),
  );
}

/** Every call has one output, and every output a call before it. */
function problemOfCalls(items: readonly RequestItem[]): string | null {
  const open = new Set<string>();
  for (const one of items) {
    const call = callItem.safeParse(one);
    if (call.success) open.add(call.data.call_id);
    const output = callOutputItem.safeParse(one);
    if (!output.success) continue;
    const { call_id: id } = output.data;
    if (!open.delete(id)) return `No tool call found for function call output with call_id ${id}.`;
  }
  const [unanswered] = open;
  return unanswered === undefined ? null : `No tool output found for function call ${unanswered}.`;
}
