import type { Clock } from '../../shared/kernel/clock.ts';
import { messageOf } from '../../shared/kernel/result.ts';

/** How one part of the host ends. */
export interface Closing {
  readonly name: string;
  /** One that takes longer is left behind, so that the store is always closed. */
  readonly deadlineMs: number;
  readonly end: () => void | Promise<void>;
}

/** How one part ends, for the list of them. */
export function closing(name: string, deadlineMs: number, end: Closing['end']): Closing {
  return { name, deadlineMs, end };
}

/** Carries the closings out one after another; gives what did not end well. */
export async function shutDown(closings: readonly Closing[], clock: Clock): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const one of closings) {
    const problem = await endInTime(one, clock);
    if (problem !== null) problems.push(`${one.name}: ${problem}`);
  }
  return problems;
}

async function endInTime({ deadlineMs, end }: Closing, clock: Clock): Promise<string | null> {
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
