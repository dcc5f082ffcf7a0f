import type { Failure, Result } from '../../shared/kernel/result.ts';
import type { EngineName } from '../../shared/vocabulary/words.ts';
import type { Account } from './engine.ts';

/** By what each engine uses models, as the settings have it. */
export interface Accounts {
  /** In the order in which they are used; empty for an engine that uses none, such as `command`. */
  of(engine: EngineName): readonly AccountSource[];
}

/** An account before it is used: its key is read each time, so that one that was changed meanwhile is used. */
export interface AccountSource {
  /** Unique among the accounts of its engine. */
  readonly name: string;
  /** A person's stored login serves on the `host` alone; the keys that stand in for it serve `sealed` agents. */
  readonly serves: 'host' | 'sealed' | 'both';
  open(): Result<Account, AccountFailure>;
}

/** An account that cannot be used now. */
export interface AccountFailure extends Failure {
  readonly tag: 'key_missing' | 'key_unreadable';
}
