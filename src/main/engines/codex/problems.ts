import type { CliProblem } from '../coding-cli/dialect.ts';

/**
 * What Codex's messages stand for: it says errors in words alone, and its own words in place of the API's. Each begins
 * as it does in version 0.171.0. They are read where Codex says that a turn failed, never in an answer.
 */
const KNOWN: readonly { readonly begins: RegExp; readonly status: number; readonly type: string }[] = [
  { begins: /^You(?:’|')ve hit your usage limit\b/, status: 429, type: 'usage_limit_reached' },
  { begins: /^Quota exceeded\b/, status: 429, type: 'insufficient_quota' },
  { begins: /^To use Codex with your ChatGPT plan, upgrade\b/, status: 429, type: 'usage_not_included' },
  { begins: /^Selected model is at capacity\b/, status: 503, type: 'server_is_overloaded' },
  { begins: /^Your access token could not be refreshed\b/, status: 401, type: 'login_expired' },
  { begins: /^Connection failed\b/, status: 0, type: 'connection_failed' },
  { begins: /^stream disconnected before completion\b/, status: 0, type: 'stream_disconnected' },
];

/** Where Codex passes on an HTTP status, it does so in these words. */
const STATUS = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/;

/** Codex says a failure in words alone; those that are known give the status and type that the API had. */
export function problemOf(message: string): CliProblem {
  const known = KNOWN.find(({ begins }) => begins.test(message));
  if (known !== undefined) return { status: known.status, type: known.type, message, resetsAt: null };
  const status = STATUS.exec(message)?.[1];
  return { status: status === undefined ? null : Number(status), type: null, message, resetsAt: null };
}
