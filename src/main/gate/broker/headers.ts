import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Secret } from '../../../shared/kernel/secret.ts';
import type { Upstream } from '../../ports/turn-gate.ts';

/** They hold for one connection only: RFC 9110 §7.6.1. */
const ofOneConnection = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

/** What says who asks, or where from: it is ours to say. */
const ofTheSender = [
  'host',
  'x-api-key',
  'authorization',
  'cookie',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'accept-encoding',
  'expect',
] as const;

const keptFromUpstream: ReadonlySet<string> = new Set([...ofOneConnection, ...ofTheSender]);
const keptFromClient: ReadonlySet<string> = new Set([...ofOneConnection, 'set-cookie']);

const SET_UP_TOKEN_PREFIX = 'sk-ant-oat';

/** The API takes set-up tokens only with this word, in `anthropic-beta`. */
const SET_UP_TOKEN_BETA = 'oauth-2025-04-20';

/** Whether what opens the API is a set-up token, with which a subscription pays. */
export function isSetUpToken({ key }: Upstream): boolean {
  return key.expose().startsWith(SET_UP_TOKEN_PREFIX);
}

/**
 * The headers that go upstream: the client's without what identifies it, with the key. Answers are asked for as
 * they are, not compressed, so that they can be counted on their way.
 */
export function headersForUpstream(headers: IncomingHttpHeaders, upstream: Upstream): OutgoingHttpHeaders {
  const key = upstream.key.expose();
  const sent: OutgoingHttpHeaders = { ...without(headers, keptFromUpstream), 'accept-encoding': 'identity' };
  if (upstream.api === 'anthropic' && upstream.sentAs === 'api_key') return { ...sent, 'x-api-key': key };
  if (isSetUpToken(upstream)) {
    const asked = [headers['anthropic-beta'] ?? []].flat().join(',').split(',');
    const betas = new Set([...asked.map((one) => one.trim()).filter((one) => one !== ''), SET_UP_TOKEN_BETA]);
    sent['anthropic-beta'] = [...betas].join(',');
  }
  return { ...sent, authorization: `Bearer ${key}` };
}

/** The headers that go back to the client: upstream's, without any that shows the key. */
export function headersForClient(headers: IncomingHttpHeaders, key: Secret): OutgoingHttpHeaders {
  const shown = Object.entries(without(headers, keptFromClient)).filter(
    ([, value]) => !String(value).includes(key.expose()),
  );
  return Object.fromEntries(shown);
}

function without(headers: IncomingHttpHeaders, names: ReadonlySet<string>): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name) && !named.has(name)));
}
