/** Choices that all follow from one number, so that a whole step of a property test shrinks as a number does. */
export class Draws {
  #state: number;

  public constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 up to, but not including, `below`. */
  public below(below: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  /** True once in so many times. */
  public onceIn(times: number): boolean {
    return this.below(times) === 0;
  }

  public of<const T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0];
  }

  /** Each of the choices or not. */
  public some<T>(choices: readonly T[]): T[] {
    return choices.filter(() => this.onceIn(3));
  }
}
