import type { StepName, StepWatcher } from '../src/shared/kernel/steps.ts';

/** Tells when the host's named steps begin, in milliseconds of `performance.now()`. */
export class StepTimes implements StepWatcher {
  readonly #waiting = new Map<StepName, ((at: number) => void)[]>();

  public before(name: StepName): void {
    const tell = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    const now = performance.now();
    for (const one of tell) one(now);
  }

  public after(): void {
    // Only beginnings are timed.
  }

  /** When this step begins the next time. */
  public next(name: StepName): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), resolve]);
    });
  }
}
