/** Runs pieces of work one after the other, in the order in which they were given. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  public run<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Resolves when all that was given so far has ended. */
  public async idle(): Promise<void> {
    await this.#last;
  }
}
