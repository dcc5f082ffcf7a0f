import type { Answer, PermissionMode, Role, RoomMode } from '../../shared/vocabulary/words.ts';
import type { EngineFlag } from './engine-flag.ts';

/** Settings of a room as flags give them; what is absent is left as it is. */
export interface RoomFlags {
  readonly mode?: RoomMode;
  readonly owner?: EngineFlag;
  readonly reviewer?: EngineFlag;
  readonly arbiter?: EngineFlag | 'none';
  readonly fallbackOwner?: EngineFlag | 'none';
  readonly fallbackReviewer?: EngineFlag | 'none';
  readonly fallbackArbiter?: EngineFlag | 'none';
  readonly permissions?: PermissionMode;
  readonly sealOwner?: boolean;
  /** False where the setup is to be taken out. */
  readonly setup?: string | false;
  readonly dependency?: readonly string[];
  readonly criterion?: readonly string[];
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly budgetMinutes?: number;
  readonly budgetRounds?: number;
  readonly prompts?: string;
  readonly memory?: string;
}

/** What every command takes. */
interface Common {
  /** One JSON document on standard output, and nothing else. */
  readonly json: boolean;
}

/** What every command takes that follows a task. */
interface Following extends Common {
  /** False: return as soon as the host has taken it. */
  readonly wait: boolean;
  readonly verbose: boolean;
}

/** What a command line asks for. */
export type Call =
  | (Following & {
      readonly command: 'run';
      readonly words: readonly string[];
      readonly directory: string;
      readonly room: string | null;
      readonly flags: RoomFlags;
    })
  | (Following & { readonly command: 'send'; readonly room: string; readonly words: readonly string[] })
  | (Following & {
      readonly command: 'answer';
      readonly escalation: string;
      readonly answer: Answer;
      readonly words: readonly string[];
      readonly criteria: readonly string[];
      readonly dropped: readonly string[];
    })
  | (Common & { readonly command: 'start' })
  | (Common & { readonly command: 'rooms' })
  | (Common & {
      readonly command: 'set-room';
      readonly room: string;
      readonly directory: string | null;
      readonly file: string | null;
      readonly flags: RoomFlags;
    })
  | (Common & {
      readonly command: 'tasks';
      readonly room: string | null;
      readonly open: boolean;
      readonly limit: number;
    })
  | (Common & { readonly command: 'show'; readonly task: string; readonly diff: boolean })
  | (Common & { readonly command: 'apply'; readonly task: string })
  | (Common & { readonly command: 'stop'; readonly task: string })
  | (Common & { readonly command: 'escalations' })
  | (Common & {
      readonly command: 'events';
      readonly follow: boolean;
      readonly after: number | null;
      readonly room: string | null;
      readonly task: string | null;
    })
  | { readonly command: 'verdict'; readonly role: Role; readonly json: true }
  | (Common & {
      readonly command: 'build-image';
      /** Null where the usual one is wanted, here and below. */
      readonly base: string | null;
      readonly mirror: string | null;
      readonly registry: string | null;
      /** A file with certificates. */
      readonly ca: string | null;
    })
  | (Common & { readonly command: 'doctor' });

export type CallOf<C extends Call['command']> = Extract<Call, { readonly command: C }>;
