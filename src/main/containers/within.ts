import type { Clock } from '../../shared/kernel/clock.ts';

/** Waits for something that should happen, but no longer than this: whether it has. */
export async function within(clock: Clock, limitMs: number, what: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const cancel = clock.after(limitMs, () => {
    late.resolve(false);
  });
  try {
    return await Promise.race([what.then(() => true), late.promise]);
  } finally {
    cancel();
  }
}

/** Resolves after so many milliseconds. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}
