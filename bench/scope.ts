/**
 * Owns resources: what is added is released in reverse order when the scope closes. A resource is added on the
 * line after it is made, so that no failure in between can leak it.
 */
export class Scope {
  readonly #label: string;
  readonly #releases: { readonly name: string; readonly release: () => void | Promise<void> }[] = [];
  #closed = false;

  public constructor(label: string) {
    this.#label = label;
  }

  public get closed(): boolean {
    return this.#closed;
  }

  /** Registers how a resource is released. Adding to a closed scope is a bug and throws. */
  public add(name: string, release: () => void | Promise<void>): void {
    if (this.#closed) throw new Error(`${this.#label}: "${name}" was added after the scope had closed.`);
    this.#releases.push({ name, release });
  }

  /** Releases everything, newest first. One failing release does not keep the others from theirs. */
  public async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const problems: unknown[] = [];
    for (const { name, release } of this.#releases.reverse()) {
      try {
        await release();
      } catch (cause) {
        problems.push(new Error(`${this.#label}: could not release "${name}".`, { cause }));
      }
    }
    if (problems.length > 0) throw new AggregateError(problems, `${this.#label} did not close cleanly.`);
  }
}
