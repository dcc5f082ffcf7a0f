import { z } from 'zod';
import type { TurnId } from '../../../shared/vocabulary/ids.ts';

/** A session's conversation as it is kept: what was said, not how a request is made of it. */
const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const callBlock = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  // A call that was cut off may have no object for its input; it is never carried out.
  input: z.record(z.string(), z.unknown()).catch({}),
});
/** Blocks that only the model reads, such as its thinking; they go back as they came. */
const otherBlock = z
  .looseObject({ type: z.string() })
  .refine(({ type }) => type !== 'text' && type !== 'tool_use');

export const replySchema = z.object({
  kind: z.literal('reply'),
  model: z.string(),
  content: z.array(z.union([textBlock, callBlock, otherBlock])),
  /** Why it ended: `end_turn`, `tool_use`, `max_tokens`, … */
  stop: z.string(),
});

const entrySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('prompt'), turn: z.string(), text: z.string() }),
  replySchema,
  z.object({
    kind: z.literal('results'),
    results: z.array(z.object({ id: z.string(), ok: z.boolean(), text: z.string() })),
  }),
  z.object({
    kind: z.literal('follow_up'),
    message: z.templateLiteral(['msg_', z.string()]),
    text: z.string(),
  }),
  /** Words of the host to the model: how to go on, how much is left. */
  z.object({ kind: z.literal('note'), text: z.string() }),
]);

export type Entry = z.infer<typeof entrySchema>;
export type Reply = z.infer<typeof replySchema>;
export type ToolCall = z.infer<typeof callBlock>;
export type ToolResult = Extract<Entry, { kind: 'results' }>['results'][number];

/**
 * Reads a transcript. Where an entry cannot be read (another version wrote it, or it is damaged), everything up
 * to it is left out, and the conversation begins with the next prompt.
 */
export function readTranscript(raw: readonly unknown[]): {
  readonly entries: readonly Entry[];
  readonly dropped: number;
} {
  const parsed = raw.map((entry) => entrySchema.safeParse(entry));
  const lastUnreadable = parsed.findLastIndex(({ success }) => !success);
  if (lastUnreadable === -1) return { entries: parsed.flatMap(({ data }) => data ?? []), dropped: 0 };
  const begin = parsed.findIndex(({ data }, index) => index > lastUnreadable && data?.kind === 'prompt');
  const entries = begin === -1 ? [] : parsed.slice(begin).flatMap(({ data }) => data ?? []);
  return { entries, dropped: raw.length - entries.length };
}

/**
 * Where in the transcript the prompt of this turn was given; -1 if it was not. A turn that is tried again may ask
 * for something else (`text`), which is a prompt of its own.
 */
export function placeOfPrompt(entries: readonly Entry[], turn: TurnId, text: string | null): number {
  const place = entries.findLastIndex((entry) => entry.kind === 'prompt');
  const prompt = entries[place];
  if (prompt?.kind !== 'prompt' || prompt.turn !== turn) return -1;
  return text === null || prompt.text === text ? place : -1;
}

export function callsOf(reply: Reply): readonly ToolCall[] {
  return reply.content.filter((block): block is ToolCall => block.type === 'tool_use');
}

export function wordsOf(reply: Reply): string {
  return reply.content
    .filter((block): block is z.infer<typeof textBlock> => block.type === 'text')
    .map(({ text }) => text)
    .join('\n')
    .trim();
}

export function repliesIn(entries: readonly Entry[]): readonly Reply[] {
  return entries.filter((entry) => entry.kind === 'reply');
}

/**
 * The last call of a reply that ran into its limit of tokens is not whole, whatever its input looks like: it must
 * not be carried out.
 */
export function isCutOff(reply: Reply, call: ToolCall): boolean {
  return reply.stop === 'max_tokens' && reply.content.at(-1) === call;
}

/** What a turn does next, told from what has been said in it. */
export type NextStep =
  | { readonly kind: 'answer'; readonly reply: Reply }
  | { readonly kind: 'call' }
  /** The last reply ran into its limit of tokens. */
  | { readonly kind: 'call_on'; readonly cutReplies: number }
  | { readonly kind: 'end' };

/** `accepted`: whether a verdict of this turn was accepted. It ends the turn: nothing that follows could change it. */
export function nextStep(turn: readonly Entry[], accepted: boolean): NextStep {
  const last = turn.at(-1);
  if (last?.kind === 'reply' && callsOf(last).length > 0) return { kind: 'answer', reply: last };
  if (accepted) return { kind: 'end' };
  const replies = repliesIn(turn);
  const cutReplies = replies.length - 1 - replies.findLastIndex(({ stop }) => stop !== 'max_tokens');
  if (cutReplies > 0) return { kind: 'call_on', cutReplies };
  return last?.kind === 'reply' ? { kind: 'end' } : { kind: 'call' };
}
