import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { messageOf } from '../../../shared/kernel/result.ts';
import { http } from '../http.ts';

/** How long a connection to an API waits to be used again: less than APIs let one wait, so that none is torn. */
const IDLE_MS = 30_000;

/** A request as it goes upstream, with the key. */
export interface UpstreamRequest {
  readonly method: string;
  /** The API's base URL. */
  readonly base: URL;
  /** What follows it. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly silenceMs: number;
}

/** Connections to model APIs, kept open between calls. */
export class UpstreamConnections {
  readonly #plain = new http.Agent({ keepAlive: true, timeout: IDLE_MS });
  readonly #secure = new https.Agent({ keepAlive: true, timeout: IDLE_MS });

  /** Begins a request to this base URL and no other: redirects are answers like others. The body is still to be written. */
  public begin({ method, base, path, headers, silenceMs }: UpstreamRequest): ClientRequest {
    const secure = base.protocol === 'https:';
    const options = {
      method,
      host: base.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: base.port,
      path: base.pathname.replace(/\/$/, '') + path,
      headers: { ...headers, host: base.host },
      timeout: silenceMs,
    };
    const request = secure
      ? https.request({ ...options, agent: this.#secure })
      : http.request({ ...options, agent: this.#plain });
    request.on('timeout', () => {
      request.destroy(new Error(`nothing came for ${Math.round(silenceMs / 1000)} seconds`));
    });
    return request;
  }

  public close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}

/** Resolves with the answer's head; null where there is none, of which the request's error tells. */
export function answerTo(request: ClientRequest): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    request.once('response', resolve);
    // It stays for errors after the head, which the answer's own stream tells of too.
    request.on('error', () => {
      resolve(null);
    });
  });
}

/** In a few words, without a full stop. */
export function causeOf(error: Error): string {
  // Where a name has several addresses, each has its own error, and theirs says what it was.
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
  return messageOf(first).replace(/\.$/, '');
}
