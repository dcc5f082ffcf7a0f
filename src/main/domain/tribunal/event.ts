import type { Answer, BudgetLimit, Judgement, Severity } from '../../../shared/vocabulary/words.ts';
import type { MessageId, SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { CriterionId, FindingId } from '../../../shared/vocabulary/point-ids.ts';
import type { Reading } from '../verdict/reading.ts';

/** What can happen to a task. Actors turn everything from outside into one of these. */
export type TribunalEvent =
  | { readonly type: 'message_arrived'; readonly message: MessageId; readonly text: string }
  | { readonly type: 'message_taken'; readonly turn: number; readonly message: MessageId }
  | { readonly type: 'turn_started'; readonly turn: number; readonly base: SnapshotId | null }
  | TurnFailed
  | TurnExhausted
  | TurnEnded
  | { readonly type: 'budget_reached'; readonly turn: number; readonly limit: BudgetLimit }
  | { readonly type: 'stop_requested' }
  | PersonAnswered
  | { readonly type: 'host_restarted' };

export interface TurnFailed {
  readonly type: 'turn_failed';
  readonly turn: number;
  readonly attempt: number;
  /** Trying again cannot help: login, unknown model, a missing program, a snapshot that cannot be made. */
  readonly forGood: boolean;
  /** The grace after a reached budget was used up, so the turn was cut off. */
  readonly cut: boolean;
  /** For the person: what happened, to what, and what to do. */
  readonly reason: string;
  /** The other side asked for at least this pause before the next try. */
  readonly retryAfterMs: number | null;
  /** What the owner had made by then, where a snapshot could be taken. */
  readonly content: SnapshotId | null;
}

/** What the turn ran on is used up, or shut out: nobody's failed try. */
export interface TurnExhausted {
  readonly type: 'turn_exhausted';
  readonly turn: number;
  readonly attempt: number;
  /** How long until something can take the turn: 0 where another account or engine can at once. */
  readonly afterMs: number;
  /** What the owner had made by then, where a snapshot was taken. */
  readonly content: SnapshotId | null;
}

export interface TurnEnded {
  readonly type: 'turn_ended';
  readonly turn: number;
  readonly attempt: number;
  /** Whether the turn said anything: text or a verdict. */
  readonly visible: boolean;
  readonly reading: Reading;
  readonly text: string;
  readonly report: Report;
  /** An owner's work at the end of the turn; null for other roles. */
  readonly content: Content | null;
}

/** What a verdict carried beside its word. Empty where it came as text. */
export interface Report {
  readonly findings: readonly ReportedFinding[];
  /** Judgements of criteria and earlier findings by id. */
  readonly judgements: readonly { readonly id: CriterionId | FindingId; readonly judgement: Judgement }[];
  /** Criteria that the turn proposes (first owner's turn, first review) or decrees (arbiter). */
  readonly criteria: readonly string[];
  /** Criteria that an arbiter strikes. */
  readonly dropped: readonly CriterionId[];
  /** Findings that an arbiter sets aside for good. */
  readonly overruled: readonly FindingId[];
}

export interface ReportedFinding {
  readonly criterion: string | null;
  readonly severity: Severity;
  readonly place: string | null;
  readonly text: string;
  readonly evidence: string | null;
}

/** A snapshot of the work; after a finishing turn also whether it equals, every byte read anew, what was approved. */
export type Content =
  | { readonly kind: 'snapshot'; readonly snapshot: SnapshotId; readonly equalsApproved: boolean | null }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface PersonAnswered {
  readonly type: 'person_answered';
  readonly question: number;
  readonly answer: Answer;
  /** The words as a message, where the answer has any. */
  readonly message: MessageId | null;
  /** Criteria that the person adds, and those that they strike. */
  readonly criteria: readonly string[];
  readonly dropped: readonly CriterionId[];
}
