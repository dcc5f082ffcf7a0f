import { z } from 'zod';
import { describeIssues } from '../kernel/issues.ts';
import { parseJson } from '../kernel/json.ts';
import type { Failure } from '../kernel/result.ts';
import { methods, streams } from './contract.ts';
import type { FollowInput, FollowItem, MethodInput, MethodName, MethodOutput } from './contract.ts';

/** How the contract travels on a socket: newline JSON in AgentComms' framing. See docs/cli.md. */

/** The five codes that AgentComms answers with. */
export const errorCodes = {
  /** The line is no request: not JSON, no method, longer than a request may be. */
  invalidRequest: -32600,
  unknownMethod: -32601,
  badParams: -32602,
  /** The method was carried out and did not succeed; `data` says more. */
  internal: -32603,
  notFound: -32604,
} as const;

/** Ends a follow; `follow` is the id of the request that began it. */
export const unfollowMethod = 'unfollow';
const unfollowInputSchema = z.strictObject({ follow: z.string() });

/** The only tenant of a host. */
export const localTenant = 'local';

const requestSchema = z.object({
  id: z.string(),
  method: z.string().min(1),
  tenant_id: z.string().optional(),
  params: z.unknown().optional(),
});

const wireErrorSchema = z.object({
  code: z.int(),
  message: z.string(),
  /** The failure's tag, and what the person who reads it can do. */
  data: z.object({ tag: z.string(), next: z.string().optional() }).optional(),
});

/** What a host writes: an answer, or a line of a stream that the request with this id began. */
const responseSchema = z.union([
  z.object({ id: z.string(), error: wireErrorSchema }),
  z.object({ id: z.string(), item: z.unknown() }),
  z.object({ id: z.string(), ended: z.string() }),
  z.object({ id: z.string(), result: z.unknown() }),
]);

export type WireRequest = z.infer<typeof requestSchema>;
export type WireError = z.infer<typeof wireErrorSchema>;
export type WireResponse = z.infer<typeof responseSchema>;

/** One message as a line of its own. */
export function encodeLine(message: WireRequest | WireResponse): string {
  return `${JSON.stringify(message)}\n`;
}

/** The id of an answer to a line whose own id cannot be known. */
export const unknownId = '';

/** A line as the request it is, or what is wrong with it; `id` is the line's own as far as it can be known. */
export function readRequest(line: string): {
  readonly id: string;
  readonly request: Read<WireRequest, WireError>;
} {
  const value = parseJson(line);
  if (value === undefined) {
    return { id: unknownId, request: { ok: false, problem: invalidRequest('The line is not JSON.') } };
  }
  const request = requestSchema.safeParse(value);
  if (request.success) return { id: request.data.id, request: { ok: true, value: request.data } };
  const named = requestSchema.pick({ id: true }).safeParse(value);
  const problem = invalidRequest(`The line is no request: ${describeIssues(request.error)}.`);
  return { id: named.success ? named.data.id : unknownId, request: { ok: false, problem } };
}

/** A line as the response it is; null for anything else. */
export function readResponse(line: string): WireResponse | null {
  const response = responseSchema.safeParse(parseJson(line));
  return response.success ? response.data : null;
}

export function invalidRequest(message: string): WireError {
  return { code: errorCodes.invalidRequest, message };
}

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

/** The parameters of a method, checked. */
export function readInput<N extends MethodName>(name: N, params: unknown): Read<MethodInput<N>> {
  return read<MethodInput<N>>(methods[name].input, params);
}

/** The result of a method, checked. */
export function readOutput<N extends MethodName>(name: N, result: unknown): Read<MethodOutput<N>> {
  return read<MethodOutput<N>>(methods[name].output, result);
}

export function readFollowInput(params: unknown): Read<FollowInput> {
  return read(streams['events.follow'].input, params);
}

export function readFollowItem(item: unknown): Read<FollowItem> {
  return read(streams['events.follow'].item, item);
}

export function readUnfollowInput(params: unknown): Read<z.infer<typeof unfollowInputSchema>> {
  return read(unfollowInputSchema, params);
}

/** What was read, or what is wrong with it. */
export type Read<T, P = string> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: P };

function read<T>(schema: z.ZodType, value: unknown): Read<T> {
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { ok: true, value: parsed.data as T }
    : { ok: false, problem: describeIssues(parsed.error) };
}

/** A failure as an error: its words as the message, the rest as data. */
export function errorOfFailure(failure: Failure): WireError {
  const { tag, message, next } = failure;
  return { code: codeOf(tag), message, data: next === undefined ? { tag } : { tag, next } };
}

function codeOf(tag: string): number {
  switch (tag) {
    case BAD_PARAMS:
      return errorCodes.badParams;
    case 'not_found':
    case 'unknown_escalation':
      return errorCodes.notFound;
    default:
      return errorCodes.internal;
  }
}

const BAD_PARAMS = 'bad_params';

/** A method was called with something that it does not take; `problem` is a part of a sentence. */
export function badParams(method: string, problem: string): Failure {
  return { tag: BAD_PARAMS, message: `Parameters of ${method}: ${problem}.` };
}

/** An error as the failure it was. */
export function failureOfError(error: WireError): Failure {
  const tag = error.data?.tag ?? tagsOfCodes.get(error.code) ?? 'internal';
  const next = error.data?.next;
  return next === undefined ? { tag, message: error.message } : { tag, message: error.message, next };
}

const tagsOfCodes = new Map<number, string>([
  [errorCodes.invalidRequest, 'invalid_request'],
  [errorCodes.unknownMethod, 'unknown_method'],
  [errorCodes.badParams, BAD_PARAMS],
  [errorCodes.notFound, 'not_found'],
]);
