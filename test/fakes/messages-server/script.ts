import type { MessagesRequest } from './protocol.ts';

/** What the server answers with: told the request and its number among the well-formed ones, from 1. */
export type Script = (request: MessagesRequest, number: number) => Reply | Promise<Reply>;

export type Reply = MessageReply | ErrorReply | HangingReply;

/** A message, streamed. */
export interface MessageReply {
  readonly kind: 'message';
  readonly content: readonly ReplyBlock[];
  /** By default `tool_use` where the content calls a tool, else `end_turn`. */
  readonly stop?: string;
  /** By default estimated from the lengths of request and reply. */
  readonly usage?: Partial<ReplyUsage>;
  /** What goes wrong while it streams. */
  readonly fault?: StreamFault;
  /** Awaited before each event: a test lets a stream go on as slowly as it likes, without a sleep. */
  readonly beforeEvent?: (index: number) => Promise<void>;
  /** Writes the stream in pieces of so many bytes, so that events and characters are split. */
  readonly bytesPerWrite?: number;
}

export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id?: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string };

export interface ReplyUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

/** After so many events: the connection is torn, the stream ends as if it were complete, hangs open, or an error event comes. */
export type StreamFault =
  | { readonly kind: 'cut' | 'end' | 'hang'; readonly afterEvents: number }
  | { readonly kind: 'error'; readonly afterEvents: number; readonly type: string; readonly message: string };

/** An HTTP error in the API's form. */
export interface ErrorReply {
  readonly kind: 'error';
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request is taken and never answered. */
export interface HangingReply {
  readonly kind: 'hang';
}

export function says(text: string, over: Partial<MessageReply> = {}): MessageReply {
  return { kind: 'message', content: [{ type: 'text', text }], ...over };
}

/** A reply that calls one tool, after some words where there are any. */
export function calls(
  name: string,
  input: unknown,
  over: Partial<MessageReply> & { readonly words?: string } = {},
): MessageReply {
  const { words, ...rest } = over;
  const said: readonly ReplyBlock[] = words === undefined ? [] : [{ type: 'text', text: words }];
  return { kind: 'message', content: [...said, { type: 'tool_use', name, input }], ...rest };
}

export function fails(
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorReply {
  return { kind: 'error', status, type, message, headers };
}

/** Answers with these replies in turn, and with an error that says so when there are no more. */
export function inTurn(...replies: readonly (Reply | Script)[]): Script {
  return (request, number) => {
    const reply = replies[number - 1];
    if (reply === undefined) {
      return fails(500, 'api_error', `The script has ${replies.length} replies; this is request ${number}.`);
    }
    return typeof reply === 'function' ? reply(request, number) : reply;
  };
}
