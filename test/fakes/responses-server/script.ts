import type { ResponsesRequest } from './protocol.ts';

/** What the server answers with: told the request and its number among the well-formed ones, from 1. */
export type Script = (request: ResponsesRequest, number: number) => Reply | Promise<Reply>;

export type Reply = ResponseReply | ErrorReply | HangingReply;

/** A response, streamed. */
export interface ResponseReply {
  readonly kind: 'response';
  readonly output: readonly OutputItem[];
  /** By default estimated from the lengths of request and reply. */
  readonly usage?: Partial<ReplyUsage>;
  /** What goes wrong while it streams. */
  readonly fault?: StreamFault;
  /** Awaited before each event: a test lets a stream go on as slowly as it likes, without a sleep. */
  readonly beforeEvent?: (index: number) => Promise<void>;
}

export type OutputItem =
  | { readonly type: 'message'; readonly text: string }
  /** `namespace` is that of a tool which the request offers in one, such as those of an MCP server. */
  | {
      readonly type: 'function_call';
      readonly callId?: string;
      readonly name: string;
      readonly namespace?: string;
      readonly input: unknown;
    }
  | {
      readonly type: 'custom_tool_call';
      readonly callId?: string;
      readonly name: string;
      readonly namespace?: string;
      readonly input: string;
    }
  | { readonly type: 'reasoning'; readonly summary: string };

export interface ReplyUsage {
  /** Cached tokens, and those written into the cache, are counted in it. */
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
}

/** After so many events: the connection is torn, the stream hangs open, or the response fails. */
export type StreamFault =
  | { readonly kind: 'cut' | 'hang'; readonly afterEvents: number }
  | {
      readonly kind: 'failed';
      readonly afterEvents: number;
      readonly code: string;
      readonly message: string;
    };

/** An HTTP error in the API's form. `more` goes into the error beside its type, code and message. */
export interface ErrorReply {
  readonly kind: 'error';
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request is taken and never answered. */
export interface HangingReply {
  readonly kind: 'hang';
}

export function says(text: string, over: Partial<ResponseReply> = {}): ResponseReply {
  return { kind: 'response', output: [{ type: 'message', text }], ...over };
}

/** A reply that calls one tool; a tool of an MCP server is `mcp__<server>__<tool>`. */
export function calls(name: string, input: unknown, over: Partial<ResponseReply> = {}): ResponseReply {
  const [, namespace, tool] = /^(mcp__.+?)__(.+)$/.exec(name) ?? [];
  const call =
    namespace === undefined || tool === undefined
      ? ({ type: 'function_call', name, input } as const)
      : ({ type: 'function_call', namespace, name: tool, input } as const);
  return { kind: 'response', output: [call], ...over };
}

export function fails(
  status: number,
  type: string,
  message: string,
  over: Partial<ErrorReply> = {},
): ErrorReply {
  return { kind: 'error', status, type, code: null, message, ...over };
}

/** What a subscription's backend says where its limit is reached. */
export function usageLimitReached(resetsInSeconds: number, resetsAtSeconds: number): ErrorReply {
  return fails(429, 'usage_limit_reached', 'The usage limit has been reached', {
    more: { plan_type: 'plus', resets_at: resetsAtSeconds, resets_in_seconds: resetsInSeconds },
  });
}

/** Answers with these replies in turn, and with an error that says so when there are no more. */
export function inTurn(...replies: readonly (Reply | Script)[]): Script {
  return (request, number) => {
    const reply = replies[number - 1];
    if (reply === undefined) {
      const problem = `The script has ${replies.length} replies; this is request ${number}.`;
      // A status that clients do not try again.
      return fails(400, 'invalid_request_error', problem);
    }
    return typeof reply === 'function' ? reply(request, number) : reply;
  };
}
