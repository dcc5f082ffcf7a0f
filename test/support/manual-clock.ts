import type { Clock } from '../../src/shared/kernel/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that only the test turns. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();
  #waiting: { readonly delayMs: number; readonly tell: () => void }[] = [];

  /** By default it starts at 2026-01-01 UTC. */
  public constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  public now(): number {
    return this.#now;
  }

  public after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#now + delayMs, callback };
    this.#timers.add(timer);
    const told = this.#waiting.filter((waiting) => waiting.delayMs === delayMs);
    this.#waiting = this.#waiting.filter((waiting) => !told.includes(waiting));
    for (const { tell } of told) tell();
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Timers that are set and have not run. */
  public get pending(): number {
    return this.#timers.size;
  }

  /** Resolves when somebody sets a timer of this length. */
  public timerSet(delayMs: number): Promise<void> {
    return new Promise((tell) => {
      this.#waiting.push({ delayMs, tell });
    });
  }

  /** Turns the clock, and runs what falls due on the way, in order. */
  public advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = until;
  }

  /** Turns the clock on and on, while the real world goes on too, until this has happened. */
  public async until<T>(happens: Promise<T>, stepMs = 50): Promise<T> {
    const settled = new AbortController();
    const settle = (): void => {
      settled.abort();
    };
    happens.then(settle, settle);
    while (!settled.signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      this.advance(stepMs);
    }
    return happens;
  }
}
