import type { z } from 'zod';
import type { PermissionMode, Role } from '../../../shared/vocabulary/words.ts';
import type { PermissionAnswer, PermissionWish } from '../../ports/engine.ts';
import type { Upstream } from '../../ports/turn-gate.ts';

/**
 * How one coding agent's program is spoken to: how it is started, and what its output means. A dialect is pure; the
 * turn (`turn.ts`) carries out what it says, alike for every program.
 */
export interface CliDialect {
  readonly engine: 'claude-code' | 'codex';
  /** The program's name on a PATH, and in the image. */
  readonly program: string;
  /** What people call it. */
  readonly title: string;
  /** The API that it calls models by, and where that is unless an account says otherwise. */
  readonly api: Upstream['api'];
  readonly defaultBaseUrl: string;
  /** Older ones lack something that a launch asks for; what is missing there, for the person. */
  readonly leastVersion: { readonly version: readonly [number, number, number]; readonly because: string };
  /** Prints the version. */
  readonly versionArgs: readonly string[];
  /** Tells whether a person is logged in, without the network. */
  readonly login: {
    readonly args: readonly string[];
    /** Null where it cannot be told. */
    read(exitCode: number | null, output: string): boolean | null;
    /** What a person does to log in. */
    readonly next: string;
  };
  /** How to get the program. */
  readonly install: string;
  /** What people should know before they give it a role; null where it does all that a role may ask. */
  readonly lacks: string | null;
  /** Files to be laid down before the start, by name. What must not be seen by others goes here or into `environment`. */
  files(start: CliStart): Readonly<Record<string, string>>;
  /** The start itself, told where those files lie. */
  command(start: CliStart, paths: Readonly<Record<string, string>>): CliCommand;
  /** How a text is given to a program that runs; null where none can be. `id` is a UUID that its echo carries. */
  readonly followUp: ((id: string, text: string) => string) | null;
  /** The tool of ours by which it asks what it may do, in its own form; null where it cannot ask. */
  readonly permissionTool: PermissionTool | null;
  /** A reader of one process's output, from its first line. */
  reader(): CliReader;
  /** Whether this says that the session that was to go on is not there, or cannot be read. */
  isLostSession(problem: CliProblem): boolean;
}

/** How a program asks whether it may use a tool of its own, and is answered. */
export interface PermissionTool {
  readonly name: string;
  readonly input: z.ZodObject;
  wish(input: Readonly<Record<string, unknown>>): PermissionWish;
  answer(input: Readonly<Record<string, unknown>>, answer: PermissionAnswer): string;
}

/** What a launch depends on. */
export interface CliStart {
  readonly role: Role;
  readonly sealed: boolean;
  /** The work's directory, and the home of a sealed program (null on the host), as the program sees them. */
  readonly directory: string;
  readonly home: string | null;
  /** Null: the program chooses. */
  readonly model: string | null;
  readonly permissions: PermissionMode;
  /** Who the agent is; may be long, so it belongs in a file. */
  readonly system: string;
  /** The first input: its id is a UUID. */
  readonly input: { readonly id: string; readonly text: string };
  /** A session to go on in, or the id (a UUID) for a new one where the program lets us choose. */
  readonly session: { readonly kind: 'resume' | 'new'; readonly id: string };
  /** `address` without a slash at its end: `/mcp`, `/anthropic` and `/openai` follow. */
  readonly gate: { readonly address: string; readonly token: string };
  /** How models are reached: through the gate, or past it by the person's own login (with their own base URL, or the program's). */
  readonly models:
    { readonly through: 'gate' } | { readonly through: 'login'; readonly baseUrl: string | null };
  /** Names of our tools in this turn. */
  readonly tools: readonly string[];
}

/** How a program is started. */
export interface CliCommand {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Written to its standard input at once, which is closed after it where no follow-ups can be given. */
  readonly input: string;
}

/** Puts one process's output into our words, line by line. */
export interface CliReader {
  /** What one line of output, parsed as JSON, says; null where it is none of the program's. */
  read(line: unknown): readonly CliEvent[] | null;
}

/** What a program's output says, in our words. Texts may be of any length: the turn bounds them. */
export type CliEvent =
  /** Its session, which a later turn can go on in. */
  | { readonly kind: 'session'; readonly id: string }
  /** An input has reached the model's conversation; the first one's id where the program does not say which. */
  | { readonly kind: 'input_taken'; readonly id: string | null }
  | { readonly kind: 'text'; readonly text: string }
  /** `tool` is our own name where the tool is ours. `input` is what it was called with, for the loop guard. */
  | {
      readonly kind: 'tool_started';
      readonly id: string;
      readonly tool: string;
      readonly summary: string;
      readonly input: unknown;
    }
  | { readonly kind: 'tool_ended'; readonly id: string; readonly ok: boolean; readonly answer: string }
  /** A call of a model begins; only told where calls can be told apart. */
  | { readonly kind: 'call_begun' }
  /** Tokens that were used and not told before; heeded only where no gate counts them. */
  | ({ readonly kind: 'used' } & CliUsage)
  /** Something that people should see, such as a retry. */
  | { readonly kind: 'notice'; readonly text: string }
  /** All inputs that were taken so far are answered. */
  | { readonly kind: 'answered' }
  /** The program gives up. */
  | { readonly kind: 'failed'; readonly problem: CliProblem };

/** Tokens of one call, or of all since the last that were told of. Input leaves out what the cache took and gave. */
export interface CliUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** US dollars; null where it is not known, or a subscription pays. */
  readonly usd: number | null;
}

/** What a program says of its failure: fields first, words where it has nothing else. */
export interface CliProblem {
  /** The HTTP status of the API's answer; null where there was none or it is not said. */
  readonly status: number | null;
  /** The API's or the program's own word for it, such as `usage_limit_reached`; null where it gave none. */
  readonly type: string | null;
  readonly message: string;
  /** When what is used up is there again, in milliseconds since 1970; null where it does not say. */
  readonly resetsAt: number | null;
}
