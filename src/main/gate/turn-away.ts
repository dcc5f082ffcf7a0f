import type { ServerResponse } from 'node:http';
import type { Api } from './route.ts';

/** An answer that the gate gives by itself. */
export interface OwnError {
  readonly status: number;
  /** In the API's own words, so that its clients take it for what it is. */
  readonly type: string;
  /** What happened, and what to do. */
  readonly message: string;
}

/** Whose form an answer has: one of the APIs', or that of MCP. */
export type ErrorForm = Api | 'mcp';

/** JSON-RPC leaves this code to servers. */
const MCP_ERROR_CODE = -32_000;

/**
 * Answers with an error. `x-should-retry` tells the SDKs of both APIs whether asking again can help; it does only
 * where the other side failed.
 */
export function sendError(response: ServerResponse, form: ErrorForm, error: OwnError): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'x-should-retry': error.status >= 500 ? 'true' : 'false',
  });
  response.end(JSON.stringify(bodyOf(form, error)));
}

function bodyOf(form: ErrorForm, { type, message }: OwnError): object {
  switch (form) {
    case 'anthropic':
      return { type: 'error', error: { type, message } };
    case 'openai':
      return { error: { message, type, param: null, code: type } };
    case 'mcp':
      return { jsonrpc: '2.0', error: { code: MCP_ERROR_CODE, message }, id: null };
  }
}
