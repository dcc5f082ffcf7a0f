/**
 * The named steps at which the host changes something that outlives it. A process can die before or after each;
 * the crash test kills at every one of them, so a step that is not listed here, or never reached, is noticed.
 */
export const stepNames = [
  'message.accepted',
  'job.claimed',
  'workspace.opened',
  'base.taken',
  'setup.run',
  'workspace.reset',
  'turn.started',
  'engine.started',
  'call.recorded',
  'transcript.appended',
  'effect.intended',
  'effect.performed',
  'effect.finished',
  'turn.result.recorded',
  'content.taken',
  'content.compared',
  'turn.decided',
  'content.kept',
  'place.removed',
  'outbox.sent',
  'outbox.recorded',
  'answer.recorded',
  'stop.recorded',
  'apply.intended',
  'apply.written',
  'apply.recorded',
] as const;

export type StepName = (typeof stepNames)[number];

/** Told before and after each step. The product's does nothing; the crash test's kills the host. */
export interface StepWatcher {
  before(name: StepName): void;
  after(name: StepName): void;
}

/** Runs work as a named step. */
export interface Steps {
  now<T>(name: StepName, work: () => T): T;
  later<T>(name: StepName, work: () => Promise<T>): Promise<T>;
}

export function stepsWatchedBy(watcher: StepWatcher): Steps {
  return {
    now(name, work) {
      watcher.before(name);
      const value = work();
      watcher.after(name);
      return value;
    },
    async later(name, work) {
      watcher.before(name);
      const value = await work();
      watcher.after(name);
      return value;
    },
  };
}

export const unwatchedSteps: Steps = stepsWatchedBy({
  before: () => undefined,
  after: () => undefined,
});
