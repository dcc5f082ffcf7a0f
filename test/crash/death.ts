import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import { stepNames } from '../../src/shared/kernel/steps.ts';
import type { StepName, StepWatcher } from '../../src/shared/kernel/steps.ts';

export const phases = ['before', 'after'] as const;

/** When a host dies: at the n-th passage of a step's edge, or of any edge where none is named. */
export const deathSchema = z.object({
  name: z.enum(stepNames).nullable(),
  phase: z.enum(phases).nullable(),
  /** 1 is the first such passage in this life of the host. */
  occurrence: z.int().min(1),
  /** It dies so many milliseconds later, in the middle of whatever it does then. */
  delayMs: z.int().min(0),
});

export type Phase = (typeof phases)[number];
export type Death = z.infer<typeof deathSchema>;

/** One line of a life's record. */
export const passageSchema = z.object({
  /** Since the host began to open. */
  atMs: z.number(),
  phase: z.enum([...phases, 'killed']),
  name: z.enum(stepNames),
});

export type Passage = z.infer<typeof passageSchema>;

/** Records every passage, and ends the process at the one that is asked for, as `kill -9` does. */
export function dyingAt(death: Death | null, recordFile: string): StepWatcher {
  const begun = performance.now();
  let passed = 0;
  const record = (phase: Passage['phase'], name: StepName): void => {
    const passage: Passage = { atMs: performance.now() - begun, phase, name };
    appendFileSync(recordFile, `${JSON.stringify(passage)}\n`);
  };
  const die = (name: StepName): void => {
    record('killed', name);
    process.kill(process.pid, 'SIGKILL');
    // The signal ends this thread too, but not necessarily within the call: nothing may happen in between.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  const pass = (phase: Phase, name: StepName): void => {
    record(phase, name);
    if (death === null) return;
    if ((death.name ?? name) !== name || (death.phase ?? phase) !== phase) return;
    passed += 1;
    if (passed !== death.occurrence) return;
    if (death.delayMs === 0) die(name);
    else setTimeout(die, death.delayMs, name);
  };
  return {
    before: (name) => {
      pass('before', name);
    },
    after: (name) => {
      pass('after', name);
    },
  };
}
