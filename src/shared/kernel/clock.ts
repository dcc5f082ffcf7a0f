/** The time, injected: tests turn it by hand. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Calls back once after `delayMs`; the returned function cancels. A pending timer never keeps the process alive. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The longest that one timer can wait: a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (leftMs: number): void => {
      const stepMs = Math.min(leftMs, MAX_TIMER_MS);
      timer = setTimeout(() => {
        if (leftMs > stepMs) wait(leftMs - stepMs);
        else callback();
      }, stepMs);
      timer.unref();
    };
    wait(delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};
