import type {
  Answer,
  BudgetLimit,
  CriterionSource,
  Ending,
  Judgement,
  Origin,
  Role,
  RoomMode,
  Severity,
  TaskState,
  TurnPhase,
  TurnPurpose,
} from '../../../shared/vocabulary/words.ts';
import type { MessageId, RoomId, SnapshotId, TaskId } from '../../../shared/vocabulary/ids.ts';
import type { CriterionId, FindingId } from '../../../shared/vocabulary/point-ids.ts';

/** Money, tokens and time that turns have used, or may use. */
export interface Spending {
  /** US dollars. A subscription has no price; its calls count 0 here. */
  readonly usd: number;
  /** Tokens in and out, cached ones included. */
  readonly tokens: number;
  /** Minutes during which a turn ran. */
  readonly minutes: number;
}

/** What a task may use before a person is asked. `rounds` are reviews that sent the work back. */
export interface Budget extends Spending {
  readonly rounds: number;
}

/** The room's settings as they were when the task started; a change of settings is for the next task. */
export interface Terms {
  readonly mode: RoomMode;
  readonly hasArbiter: boolean;
  /** The room's directory is not a repository, so the owner works in it directly, not in a worktree. */
  readonly direct: boolean;
  readonly budget: Budget;
}

/** One thing that must hold for the task to be done. Named `C1`, `C2`, … within its task. */
export interface Criterion {
  readonly id: CriterionId;
  readonly text: string;
  readonly source: CriterionSource;
  /** What the last review that judged it said; null before that. */
  readonly judgement: Judgement | null;
}

/** One point of a review. Named `F1`, `F2`, … within its task. */
export interface Finding {
  readonly id: FindingId;
  /** The criterion that it maps to; without one it cannot block. */
  readonly criterion: CriterionId | null;
  readonly severity: Severity;
  /** Where in the work, as the reviewer said it: a path, often with lines. */
  readonly place: string | null;
  readonly text: string;
  readonly evidence: string | null;
  readonly judgement: Judgement;
  /** An arbiter set it aside for good. */
  readonly overruled: boolean;
  /** The free text of a review that named no findings: never met, never blocking. */
  readonly freeText: boolean;
}

/** The one turn of a task that is due or running. Its number is unique within the task, and only its own result counts. */
export interface LiveTurn {
  readonly number: number;
  readonly role: Role;
  readonly purpose: TurnPurpose;
  readonly phase: TurnPhase;
  /** Which try of this turn: 1, 2, … */
  readonly attempt: number;
  /** Set where the same session is asked again for what its first answer lacked. */
  readonly ask: Ask | null;
  readonly session: TurnSession;
  /** Whether the worktree goes back to the base before the turn. */
  readonly workspace: TurnWorkspace;
  /** Messages that the turn answers. */
  readonly messages: readonly MessageId[];
  /** The budget that ran out while it ran: it may only wrap up. */
  readonly wrappingUp: BudgetLimit | null;
}

/** `verdict`: no readable verdict, say it through the tool. `decision`: none of the concerns blocks, so say DONE or name the unmet criterion. */
export const asks = ['verdict', 'decision'] as const;
export type Ask = (typeof asks)[number];

/** Whether a turn goes on in its role's conversation, or begins one that knows nothing of before. */
export const turnSessions = ['continue', 'fresh'] as const;
export type TurnSession = (typeof turnSessions)[number];

export const turnWorkspaces = ['keep', 'reset'] as const;
export type TurnWorkspace = (typeof turnWorkspaces)[number];

/** The state and turn that a task goes back to when a person says "try again". */
export interface Back {
  readonly state: Exclude<TaskState, 'awaiting_person' | 'completed'>;
  readonly turn: LiveTurn;
}

/** Why a person is asked. */
export const questionKinds = [
  'failed',
  'kept_failing',
  'blocked',
  'deadlock',
  'unclear',
  'ruling',
  'arbitrations',
  'budget',
  'cannot_compare',
  'reset',
] as const;
export type QuestionKind = (typeof questionKinds)[number];

/** What waits for a person. `number` is unique within the task; an answer to an older one is none. */
export interface Question {
  readonly number: number;
  readonly kind: QuestionKind;
  readonly text: string;
  readonly answers: readonly Answer[];
  /** The snapshot that "accept" would accept. */
  readonly snapshot: SnapshotId | null;
  /** The limit that was reached, where the question is about a budget. */
  readonly limit: BudgetLimit | null;
  readonly back: Back;
}

/** Whose impasse an arbiter is called for. */
export const impasses = ['owner', 'review'] as const;
export type Impasse = (typeof impasses)[number];

export interface Counters {
  /** Reviews that sent the work back. */
  readonly rounds: number;
  readonly roundsWithoutProgress: number;
  /** Failed tries in a row of the live turn. */
  readonly retries: number;
  readonly arbitrations: number;
  /** Finishing turns in a row that changed what had been approved. */
  readonly changedFinishes: number;
}

/** A task as the tribunal sees it. Everything that a decision depends on is in here. */
export interface Task {
  readonly id: TaskId;
  readonly roomId: RoomId;
  readonly origin: Origin;
  /** What is asked, in the words of who or what started it. */
  readonly request: string;
  readonly terms: Terms;
  readonly state: TaskState;
  readonly ending: Ending | null;
  readonly turn: LiveTurn | null;
  /** The number that the next turn gets. */
  readonly nextTurn: number;
  /** Messages that no turn has taken yet; the owner's next turn gets them. */
  readonly waiting: readonly MessageId[];
  /** What the work started from; null until the workspace is open. */
  readonly base: SnapshotId | null;
  /** The newest snapshot of the owner's work. */
  readonly content: SnapshotId | null;
  /** What the last review looked at. */
  readonly reviewed: SnapshotId | null;
  /** What a reviewer (or a person, by accepting) approved. */
  readonly approved: SnapshotId | null;
  readonly criteria: readonly Criterion[];
  /** True after the first review: from then on only a person or the arbiter changes criteria. */
  readonly criteriaFixed: boolean;
  readonly findings: readonly Finding[];
  /** The arbiter's last ruling, under which work and reviews go on. */
  readonly ruling: string | null;
  /** Whose impasse the arbiter was called for: it decides who goes on after PROCEED. */
  readonly arbitrationAfter: Impasse | null;
  /** What the current review (or arbitration) has already been asked again for. */
  readonly asked: readonly Ask[];
  readonly counters: Counters;
  /** Used so far, summed from model calls and attempts. */
  readonly spent: Spending;
  /** How many budgets the task may use: 1, and one more for each that a person granted. */
  readonly budgets: number;
  readonly question: Question | null;
  readonly nextQuestion: number;
}
