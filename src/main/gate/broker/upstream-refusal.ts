import type { IncomingHttpHeaders } from 'node:http';
import { clipped, firstLine } from '../../../shared/kernel/text.ts';
import type { UpstreamRefusal } from '../../ports/turn-gate.ts';
import type { Api } from '../route.ts';
import { observe } from './observation.ts';
import type { ObservedError } from './observation.ts';

const MAX_MESSAGE_CHARACTERS = 1_000;
const MS_PER_SECOND = 1_000;

/** What an error answer says, in its headers and its body. `now` is in milliseconds since 1970. */
export function refusalOf(
  api: Api,
  answer: { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string },
  now: number,
): UpstreamRefusal {
  const { status, headers, body } = answer;
  const error = observe(api, body)?.error ?? null;
  const said = error === null ? firstLine(body, MAX_MESSAGE_CHARACTERS) : error.message;
  return {
    status,
    type: error?.type ?? null,
    message: clipped(said === '' ? 'It gave no reason.' : said, MAX_MESSAGE_CHARACTERS),
    resetsAt: resetInBody(error, now) ?? resetInHeaders(headers),
    retryAfterMs: pauseAskedFor(headers, now),
  };
}

/** An error within an answer that had begun as a success. */
export function refusalWithin(error: ObservedError, status: number, now: number): UpstreamRefusal {
  return {
    status,
    type: error.type,
    message: clipped(error.message, MAX_MESSAGE_CHARACTERS),
    resetsAt: resetInBody(error, now),
    retryAfterMs: null,
  };
}

/** Upstream could not be reached, or went away. */
export function unreachable(message: string): UpstreamRefusal {
  return { status: 0, type: null, message, resetsAt: null, retryAfterMs: null };
}

/** OpenAI's `usage_limit_reached`: `resets_at` in seconds since 1970, `resets_in_seconds` from now. */
function resetInBody(error: ObservedError | null, now: number): number | null {
  if (error === null) return null;
  if (error.resetsAtSeconds !== null) return error.resetsAtSeconds * MS_PER_SECOND;
  return error.resetsInSeconds === null ? null : now + error.resetsInSeconds * MS_PER_SECOND;
}

/**
 * Anthropic's limits of a subscription: the reset, in seconds since 1970, of the limit that decides. It stands in
 * every answer, so it says something about a refusal only where the limit did refuse. The limits per minute of API
 * keys are no such limit: `retry-after` says how long those last.
 */
function resetInHeaders(headers: IncomingHttpHeaders): number | null {
  const status = headers['anthropic-ratelimit-unified-status'];
  if (status !== undefined && status !== 'rejected') return null;
  const reset = Number(headers['anthropic-ratelimit-unified-reset']);
  return Number.isFinite(reset) && reset > 0 ? reset * MS_PER_SECOND : null;
}

/** `retry-after` is a number of seconds or a date (RFC 9110 §10.2.3); OpenAI adds `retry-after-ms`. */
function pauseAskedFor(headers: IncomingHttpHeaders, now: number): number | null {
  const exact = Number(headers['retry-after-ms']);
  if (Number.isFinite(exact) && exact > 0) return Math.ceil(exact);
  const value = headers['retry-after'];
  if (value === undefined) return null;
  const seconds = Number(value);
  const pauseMs = Number.isFinite(seconds) ? seconds * MS_PER_SECOND : Date.parse(value) - now;
  return Number.isFinite(pauseMs) && pauseMs > 0 ? Math.ceil(pauseMs) : null;
}
