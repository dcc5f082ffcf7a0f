import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { MessagesRequest } from '../../test/fakes/messages-server/protocol.ts';
import { fails } from '../../test/fakes/messages-server/script.ts';
import type { ReplyBlock, Script } from '../../test/fakes/messages-server/script.ts';

/** One recorded request and reply. */
const exchangeSchema = z.object({
  role: z.enum(['owner', 'reviewer', 'arbiter']),
  /** What the request must carry of what really happened; without it there is no reply. */
  carries: z.array(z.string()).min(1),
  usage: z.object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_read_input_tokens: z.int().default(0),
    cache_creation_input_tokens: z.int().default(0),
  }),
  reply: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('tool_use'), name: z.string(), input: z.record(z.string(), z.unknown()) }),
    ]),
  ),
});

const recordingSchema = z.object({ request: z.string(), exchanges: z.array(exchangeSchema) });

export type Recording = z.infer<typeof recordingSchema>;

export function readRecording(path: string): Recording {
  return recordingSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Replays the recording, one reply a request, in order; refuses a request that lacks what must have happened. */
export function replay({ exchanges }: Recording, onRefused: (problem: string) => void): Script {
  return (request, number) => {
    const refuse = (problem: string): ReturnType<typeof fails> => {
      onRefused(problem);
      return fails(400, 'invalid_request_error', problem);
    };
    const exchange = exchanges[number - 1];
    if (exchange === undefined)
      return refuse(`The recording has ${exchanges.length} replies, and this is request ${number}.`);
    const text = textOf(request);
    const missing = exchange.carries.find((part) => !text.includes(part));
    if (missing !== undefined)
      return refuse(`Request ${number} (${exchange.role}) does not carry: ${missing}`);
    const nonce = [...text.matchAll(/The nonce of this turn is (\w+)\./g)].at(-1)?.[1];
    if (nonce === undefined) return refuse(`Request ${number} (${exchange.role}) carries no nonce.`);
    return {
      kind: 'message',
      content: exchange.reply.map((block) => withNonce(block, nonce)),
      usage: exchange.usage,
    };
  };
}

function withNonce(block: Recording['exchanges'][number]['reply'][number], nonce: string): ReplyBlock {
  if (block.type === 'text') return block;
  const { nonce: placeholder, ...input } = block.input;
  return { ...block, input: placeholder === undefined ? input : { ...input, nonce } };
}

/** All that a request says: texts and results of tools, in order. */
function textOf(request: MessagesRequest): string {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  collect(request.messages);
  return texts.join('\n');
}
