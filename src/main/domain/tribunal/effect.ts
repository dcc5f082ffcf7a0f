import type { BudgetLimit, Ending } from '../../../shared/vocabulary/words.ts';
import type { MessageId, SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { LiveTurn, Question } from './task.ts';

/** What an actor has to do because of a decision. Committed in one transaction with the decision itself. */
export type Effect =
  /** Run this turn after a pause. */
  | { readonly type: 'start_turn'; readonly turn: LiveTurn; readonly afterMs: number }
  /** End the running turn: its processes, its model call. */
  | { readonly type: 'end_turn'; readonly turn: number }
  /** Offer a message to the running turn; only its echo (`message_taken`) counts as given. */
  | { readonly type: 'offer_message'; readonly turn: number; readonly message: MessageId }
  /** Let the running turn wrap up: a few more calls, a few more minutes. */
  | { readonly type: 'wrap_up'; readonly turn: number; readonly limit: BudgetLimit }
  /** Keep what is in the worktree as a snapshot. */
  | { readonly type: 'keep_content' }
  /** Ask a person. */
  | { readonly type: 'ask'; readonly question: Question }
  /** The question was answered, or no longer matters: it goes away everywhere. */
  | { readonly type: 'close_question'; readonly question: number }
  /** The task has ended: tell the person. */
  | { readonly type: 'tell_ending'; readonly ending: Ending }
  /** Start the room's next task with this message, on this content. */
  | {
      readonly type: 'start_task';
      readonly message: MessageId;
      readonly text: string;
      readonly base: SnapshotId;
    };
