import type { EngineSettings } from '../../shared/contract/room.ts';
import type { Failure, Result } from '../../shared/kernel/result.ts';
import type { MessageId, SessionId, TurnId } from '../../shared/vocabulary/ids.ts';
import type {
  BudgetLimit,
  EngineName,
  PermissionMode,
  Role,
  TurnPurpose,
} from '../../shared/vocabulary/words.ts';
import type { Secret } from '../../shared/kernel/secret.ts';
import type { Report } from '../domain/tribunal/event.ts';
import type { Reading } from '../domain/verdict/reading.ts';
import type { CliPlace } from './coding-cli.ts';
import type { ReadableFiles, WritableFiles } from './workspace.ts';

/** What carries out a turn. One instance serves any number of turns at once. */
export interface Engine {
  readonly name: EngineName;
  /** Whether it keeps its sessions: a turn that was cut off goes on in its own, and a later one knows what was told before. */
  readonly resumes: boolean;
  /** Whether it carries turns out through a program of a coding agent, which needs a place to run. */
  readonly runsCli: boolean;
  /**
   * Whether it can run with these settings; says what it found, or what is missing and what to do. `needsLogin`: it has
   * no account but the person's own login with its program.
   */
  check(settings: EngineSettings, needsLogin?: boolean): Promise<Result<string, EngineFailure>>;
  /**
   * Runs one try of a turn to its end. Never throws for what engines and networks do; an abort of the signal
   * ends every process and call of the turn and gives the failure `stopped`.
   */
  run(request: TurnRequest, desk: TurnDesk, signal: AbortSignal): Promise<Result<TurnYield, EngineFailure>>;
}

export interface TurnRequest {
  readonly turnId: TurnId;
  readonly role: Role;
  readonly purpose: TurnPurpose;
  readonly settings: EngineSettings;
  /** One-time word that a verdict of this try must carry. */
  readonly nonce: string;
  /** Who the agent is and how it works: equal for all turns of its session, so that it can be cached. */
  readonly system: string;
  /** What is asked in this turn, of a session that remembers the turns before; it says the nonce. */
  readonly prompt: string;
  /** The same with all that a session has to be told that knows nothing of before, such as one that was lost. */
  readonly freshPrompt: string;
  readonly session: SessionId;
  /** What the engine uses models by; null for an engine without accounts. */
  readonly account: Account | null;
  /** Where the program runs; null for an engine that runs none. */
  readonly cli: CliPlace | null;
  /** What an owner's coding agent may do by itself. Engines whose tools are ours have no use for it. */
  readonly permissions: PermissionMode;
  /** The host died in this turn: go on in the session, not from the prompt again. */
  readonly resumed: boolean;
  readonly place: TurnPlace;
  /** What the turn can compare; absent where the task has no two snapshots yet. */
  readonly changes?: TaskChanges;
}

/** What an engine uses models by. */
export interface Account {
  /** As the settings call it. */
  readonly name: string;
  /** A key that is ours to send; null where the program uses the person's own login. */
  readonly access: { readonly key: Secret; readonly sentAs: 'api_key' | 'bearer' } | null;
  /** Where its API is; null for the engine's own default. */
  readonly baseUrl: string | null;
}

/** The task's snapshots, as something to compare. */
export interface TaskChanges {
  /** Names of snapshots, oldest first, each with what it is: `base`, `round-1`, `round-2`, … */
  readonly points: readonly { readonly name: string; readonly description: string }[];
  /** What changed from one point to another, as a unified diff; of one file or folder where `path` is given. */
  diff(from: string, to: string, path?: string): Promise<Result<string>>;
}

/** Where a turn works: an owner in a directory, others on a snapshot that nothing can change. */
export type TurnPlace =
  | { readonly kind: 'directory'; readonly directory: string; readonly files: WritableFiles }
  | { readonly kind: 'snapshot'; readonly files: ReadableFiles };

/** What an engine tells the host, and asks of it, during a turn. All of it is durable when the call returns. */
export interface TurnDesk {
  report(event: TurnEvent): void;
  /** Asked before every model call. */
  beforeCall(): CallPermit;
  recordCall(call: ModelCall): void;
  /** The session's conversation so far, as the engine wrote it. */
  readonly transcript: Transcript;
  /** Effects that cannot be undone are written down before and after. */
  readonly journal: EffectJournal;
  /** Messages that arrived while the turn runs and were not taken yet. */
  followUps(): readonly FollowUp[];
  /** Tells each time that a message has arrived for this turn; gives what ends the telling. */
  onFollowUp(tell: () => void): () => void;
  /** The engine has given the message to the model. */
  taken(message: MessageId): void;
  /**
   * Asks a person whether the agent may do something, and waits for the answer. An abort of the signal withdraws
   * the question; it is then refused.
   */
  askPermission(wish: PermissionWish, signal: AbortSignal): Promise<PermissionAnswer>;
}

/** What an agent wants to do and may not by itself. */
export interface PermissionWish {
  readonly tool: string;
  /** What it would do, for the person to read: the command, the file and its change. */
  readonly description: string;
}

export type PermissionAnswer =
  { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export interface Transcript {
  entries(): readonly unknown[];
  append(entries: readonly unknown[]): void;
}

export interface EffectJournal {
  /** Runs work once for this key. A key that finished before gives its old result; one that began and did not finish gives `unknown`. */
  perform(
    key: string,
    description: string,
    work: () => Promise<string>,
  ): Promise<{ readonly kind: 'done'; readonly result: string } | { readonly kind: 'unknown' }>;
}

export interface FollowUp {
  readonly id: MessageId;
  readonly text: string;
}

export type CallPermit =
  | { readonly kind: 'go' }
  /** The budget is used up: tell the model to finish in this many calls. */
  | { readonly kind: 'wrap_up'; readonly limit: BudgetLimit; readonly callsLeft: number }
  /** The grace is used up too: return the failure `budget`. */
  | { readonly kind: 'refused'; readonly limit: BudgetLimit };

export interface ModelCall {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** US dollars; null where the model's price is not known or a subscription pays. */
  readonly usd: number | null;
  readonly durationMs: number;
}

/** What can be watched while a turn runs. Texts are bounded by the engine. */
export type TurnEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_started'; readonly id: string; readonly tool: string; readonly summary: string }
  | { readonly type: 'terminal_output'; readonly id: string; readonly data: string }
  | {
      readonly type: 'tool_ended';
      readonly id: string;
      readonly tool: string;
      /** What it was called for, as `tool_started` said. */
      readonly call: string;
      readonly ok: boolean;
      readonly summary: string;
    }
  | { readonly type: 'notice'; readonly text: string };

/** What a turn came to. */
export interface TurnYield {
  /** All that the agent said, joined. */
  readonly text: string;
  readonly reading: Reading;
  readonly report: Report;
}

export type EngineFailureTag =
  | 'login'
  | 'unknown_model'
  | 'program_missing'
  | 'misconfigured'
  | 'refused'
  | 'rate_limited'
  /** What the account may use is used up, or it is shut out: another account or engine may take the turn. */
  | 'exhausted'
  | 'overloaded'
  | 'network'
  | 'cut_off'
  | 'timed_out'
  | 'program_failed'
  /** The program said something that is not its protocol, or too much, or nothing for too long. */
  | 'protocol'
  /** The same call with the same answer, over and over. */
  | 'looped'
  /** There is no container to seal the agent in, or the one that there is does not hold. */
  | 'unsealed'
  | 'budget'
  | 'stopped';

export interface EngineFailure extends Failure {
  readonly tag: EngineFailureTag;
  /** Trying again cannot help until a person has changed something. */
  readonly forGood: boolean;
  /** The other side asked for at least this pause. */
  readonly retryAfterMs?: number;
  /** With `exhausted`: when it can be used again, in milliseconds since 1970, where the other side said so. */
  readonly resetsAt?: number;
}
