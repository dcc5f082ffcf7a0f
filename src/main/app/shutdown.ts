import type { Clock } from '../../shared/kernel/clock.ts';
import { messageOf } from '../../shared/kernel/result.ts';

/** One thing to end as the host goes down. */
export interface Phase {
  readonly name: string;
  /** A phase that takes longer is left behind, so that the store is always closed. */
  readonly deadlineMs: number;
  readonly end: () => void | Promise<void>;
}

/** Ends the phases one after another; gives what did not end well. */
export async function shutDown(phases: readonly Phase[], clock: Clock): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const phase of phases) {
    const problem = await endInTime(phase, clock);
    if (problem !== null) problems.push(`${phase.name}: ${problem}`);
  }
  return problems;
}

async function endInTime({ deadlineMs, end }: Phase, clock: Clock): Promise<string | null> {
  let cancel: () => void = () => undefined;
  const late = new Promise<string>((resolve) => {
    cancel = clock.after(deadlineMs, () => {
      resolve(`not ended after ${deadlineMs} ms`);
    });
  });
  const ended = Promise.resolve()
    .then(end)
    .then(() => null, messageOf);
  const problem = await Promise.race([ended, late]);
  cancel();
  return problem;
}
