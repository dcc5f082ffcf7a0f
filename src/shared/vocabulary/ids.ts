/**
 * Every id is a ULID behind a prefix that says what it names, so that an id seen in a log or typed on a
 * command line explains itself, and sorts by the time it was made.
 */
export const idPrefixes = {
  agent: 'agent',
  attempt: 'att',
  call: 'call',
  effect: 'eff',
  escalation: 'esc',
  event: 'evt',
  job: 'job',
  message: 'msg',
  outbox: 'out',
  room: 'room',
  session: 'ses',
  task: 'task',
  turn: 'turn',
  verdict: 'ver',
} as const;

export type IdKind = keyof typeof idPrefixes;
export type Id<K extends IdKind> = `${(typeof idPrefixes)[K]}_${string}`;

export type AgentId = Id<'agent'>;
export type AttemptId = Id<'attempt'>;
export type CallId = Id<'call'>;
export type EffectId = Id<'effect'>;
export type EscalationId = Id<'escalation'>;
export type EventId = Id<'event'>;
export type JobId = Id<'job'>;
export type MessageId = Id<'message'>;
export type OutboxId = Id<'outbox'>;
export type RoomId = Id<'room'>;
export type SessionId = Id<'session'>;
export type TaskId = Id<'task'>;
export type TurnId = Id<'turn'>;
export type VerdictId = Id<'verdict'>;

/** A snapshot is named by its content: the id of a git commit that is the same wherever the content is the same. */
export type SnapshotId = `snap_${string}`;

/** Makes a new id of the kind asked for. Injected, so that tests and replays get the same ids again. */
export type NewId = <K extends IdKind>(kind: K) => Id<K>;

/** Whether a text has the shape of an id of this kind. */
export function isId<K extends IdKind>(kind: K, text: string): text is Id<K> {
  return new RegExp(`^${idPrefixes[kind]}_[0-9A-HJKMNP-TV-Z]{26}$`).test(text);
}
