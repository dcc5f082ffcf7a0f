import type { Clock } from '../../shared/kernel/clock.ts';

export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}

/** Waits for something that should have happened, but no longer than this: whether it has. */
export async function happensWithin(clock: Clock, delayMs: number, what: Promise<unknown>): Promise<boolean> {
  let cancel = (): void => undefined;
  const late = new Promise<false>((resolve) => {
    cancel = clock.after(delayMs, () => {
      resolve(false);
    });
  });
  const happened = await Promise.race([what.then(() => true), late]);
  cancel();
  return happened;
}
