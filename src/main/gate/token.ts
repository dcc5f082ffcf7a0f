import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const TOKEN_BYTES = 32;

/** A one-time token: 256 random bits that fit in a header. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** A token as it is compared. */
export type TokenDigest = Buffer;

/** What is kept of a token, and compared. */
export function digestOf(token: string): TokenDigest {
  return createHash('sha256').update(token).digest();
}

/** Takes the same time whatever the digests are. */
export function isSameToken(one: TokenDigest, other: TokenDigest): boolean {
  return timingSafeEqual(one, other);
}

/** The token that a request carries, in either of the headers in which API clients send a key; null without one. */
export function presentedToken(headers: IncomingHttpHeaders): string | null {
  const own = headers['x-api-key'];
  if (typeof own === 'string') return own;
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}
