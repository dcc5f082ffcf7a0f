import type { z } from 'zod';
import type { Secret } from '../../shared/kernel/secret.ts';
import type { CallPermit, ModelCall } from './engine.ts';

/**
 * The one way out that the program of a coding agent is given for a turn: to models, through the broker that puts
 * the key in, and to the turn's own tools over MCP. It is shut when the turn ends.
 */
export interface TurnGates {
  open(grant: GateGrant): Promise<OpenGate>;
}

/** What one turn may reach. */
export interface GateGrant {
  /** Null where the program calls models by the person's own login, past the gate. */
  readonly upstream: Upstream | null;
  /** Asked before each call that goes upstream; a refused one gets an error in the API's own form. */
  beforeCall(): CallPermit;
  /** Told of each call that has ended, as its answer counts it. */
  recordCall(call: ModelCall): void;
  /** Served over MCP. */
  readonly tools: readonly GateTool[];
}

/** A model API, and what opens it. */
export interface Upstream {
  readonly api: 'anthropic' | 'openai';
  /** Without a slash at its end, as the API's own clients take it. */
  readonly baseUrl: string;
  readonly key: Secret;
  /** How the key is sent: in the API's own header, or as a bearer token (a set-up token). */
  readonly sentAs: 'api_key' | 'bearer';
}

/** A tool of ours, as the agent calls it. */
export interface GateTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Some programs refuse tools that are not marked as reading only. */
  readonly readOnly: boolean;
  call(input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolAnswer>;
}

/** What the agent is told; not `ok` says that the call came to nothing. */
export interface ToolAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/**
 * An open gate. At its address are `/anthropic` and `/openai` (base URLs for the API that the grant names) and `/mcp`
 * (MCP over streamable HTTP). Every request carries the token: as the API key, or as `Authorization: Bearer`.
 */
export interface OpenGate {
  readonly token: string;
  /** On the host's loopback, `http://127.0.0.1:<port>`. */
  readonly localUrl: string;
  /** The same as a Unix socket, for containers. */
  readonly socketPath: string;
  /** What upstream refused, oldest first: facts to classify a failure by. */
  refusals(): readonly UpstreamRefusal[];
  /** From here on every request with the token is refused; open streams end. */
  close(): Promise<void>;
}

/** An answer of upstream that is no answer to the question. */
export interface UpstreamRefusal {
  /** The HTTP status; 0 where upstream could not be reached. */
  readonly status: number;
  /** The API's own word, such as `rate_limit_error` or `usage_limit_reached`; null where it gave none. */
  readonly type: string | null;
  readonly message: string;
  /** When what was used up is there again, in milliseconds since 1970, where upstream said so. */
  readonly resetsAt: number | null;
  readonly retryAfterMs: number | null;
}
