import type { Clock } from '../../../shared/kernel/clock.ts';
import { limits } from './limits.ts';

/** How long a program is waited for: while it works and prints nothing, and once it has said everything. */
export class Patience {
  readonly #clock: Clock;
  readonly #onSilence: () => void;
  #toolsAtWork = 0;
  #saidFarewell = false;
  #ended = false;
  #cancelTimer = (): void => undefined;

  public constructor(clock: Clock, onSilence: () => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
  }

  /** It was heard of; silence is counted from now on. While a tool of ours works, silence means nothing. */
  public renew(): void {
    if (this.#saidFarewell || this.#ended) return;
    this.#cancelTimer();
    if (this.#toolsAtWork > 0) return;
    this.#cancelTimer = this.#clock.after(limits.silenceMs, this.#onSilence);
  }

  /** A tool of ours begins to work; the returned function ends that. */
  public toolWorks(): () => void {
    this.#toolsAtWork += 1;
    this.renew();
    return () => {
      this.#toolsAtWork -= 1;
      this.renew();
    };
  }

  /** All is said: from now on it only has to end. `onLinger` is told where it does not. */
  public sayFarewell(onLinger: () => void): void {
    this.#saidFarewell = true;
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(limits.farewellMs, onLinger);
  }

  public get saidFarewell(): boolean {
    return this.#saidFarewell;
  }

  /** It has ended, though a tool of ours may still work for it. */
  public end(): void {
    this.#ended = true;
    this.#cancelTimer();
  }
}
