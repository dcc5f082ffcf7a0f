/** A failed try is repeated this many times before a person is asked. */
export const MAX_RETRIES = 5;

/** The longest pause that the other side can ask for: beyond it a person should rather hear of it. */
export const MAX_PAUSE_MS = 15 * 60_000;

/** The pause before the first repeat; each further one is twice as long. */
const FIRST_DELAY_MS = 5_000;

/** How long to wait after `retries` repeats have already failed: 5 s, 10 s, 20 s, 40 s, 80 s. */
export function retryDelayMs(retries: number): number {
  return FIRST_DELAY_MS * 2 ** retries;
}
