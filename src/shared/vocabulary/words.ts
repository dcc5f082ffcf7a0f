/** The words of the product and the values they can take, each said once. See docs/architecture.md. */

export const roles = ['owner', 'reviewer', 'arbiter'] as const;
export type Role = (typeof roles)[number];

export const roomModes = ['single', 'tribunal'] as const;
export type RoomMode = (typeof roomModes)[number];

export const engineNames = ['anthropic', 'claude-code', 'codex', 'command'] as const;
export type EngineName = (typeof engineNames)[number];

/** What an owner's coding agent may do without a person's word. */
export const permissionModes = ['everything', 'ask'] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** What started a task. */
export const origins = ['message', 'schedule', 'event', 'agent'] as const;
export type Origin = (typeof origins)[number];

/** How an owner's or a reviewer's turn can end. */
export const workVerdicts = ['DONE', 'DONE_WITH_CONCERNS', 'BLOCKED', 'NEEDS_CONTEXT'] as const;

/** How an arbiter's turn can end. */
export const arbiterVerdicts = ['PROCEED', 'REVISE', 'RESET', 'ESCALATE'] as const;

/** What any turn can end with. */
export const verdicts = [...workVerdicts, ...arbiterVerdicts] as const;
export type Verdict = (typeof verdicts)[number];

/** The tool through which an agent gives its verdict. */
export const SUBMIT_VERDICT = 'submit_verdict';

export const taskStates = [
  'active',
  'review_ready',
  'in_review',
  'merge_ready',
  'arbiter_requested',
  'in_arbitration',
  'awaiting_person',
  'completed',
] as const;
export type TaskState = (typeof taskStates)[number];

/** How a completed task came to its end. */
export const endings = ['reviewed', 'unreviewed', 'accepted', 'stopped', 'superseded'] as const;
export type Ending = (typeof endings)[number];

/** The endings that are ways of being done. */
export const doneEndings = ['reviewed', 'unreviewed', 'accepted'] as const satisfies readonly Ending[];

/** What a turn is for: an owner works or finishes, a reviewer reviews, an arbiter arbitrates. */
export const turnPurposes = ['work', 'finish', 'review', 'arbitrate'] as const;
export type TurnPurpose = (typeof turnPurposes)[number];

/** A live turn waits for its time, or runs. */
export const turnPhases = ['due', 'running'] as const;
export type TurnPhase = (typeof turnPhases)[number];

/** What became of a turn that is no longer live. */
export const turnOutcomes = ['ended', 'failed', 'cancelled'] as const;
export type TurnOutcome = (typeof turnOutcomes)[number];

/** How a turn stands. */
export const turnStatuses = [...turnPhases, ...turnOutcomes] as const;

/** Who brought a criterion in: the room's standing list, an agent's proposal, a ruling, a person, or the message itself. */
export const criterionSources = ['room', 'owner', 'reviewer', 'arbiter', 'person', 'message'] as const;
export type CriterionSource = (typeof criterionSources)[number];

export const judgements = ['met', 'unmet', 'unverifiable'] as const;
export type Judgement = (typeof judgements)[number];

export const severities = ['blocking', 'minor'] as const;
export type Severity = (typeof severities)[number];

/** What a person can answer when a running turn asks whether it may do something. */
export const permissionAnswers = ['allow', 'refuse', 'stop'] as const;

/** What a person can answer to an escalation; each escalation lists which of these it takes. */
export const answers = ['accept', 'send_back', 'try_again', 'go_on', 'allow', 'refuse', 'stop'] as const;
export type Answer = (typeof answers)[number];

export const messageStatuses = ['pending', 'delivered', 'failed'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

export const messageTypes = ['human_message', 'agent_message', 'interrupt', 'system'] as const;
export type MessageType = (typeof messageTypes)[number];

export const messageRoles = ['human', 'agent', 'system'] as const;
export type MessageRole = (typeof messageRoles)[number];

export const budgetLimits = ['usd', 'tokens', 'minutes', 'rounds'] as const;
export type BudgetLimit = (typeof budgetLimits)[number];

/** What became of a file between two snapshots; `mode` and `type` are changes of nothing but that. */
export const fileChanges = ['added', 'modified', 'deleted', 'renamed', 'mode', 'type'] as const;
export type FileChange = (typeof fileChanges)[number];
