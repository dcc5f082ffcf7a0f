const concealed = '•••';

/** A value that must not be seen: it prints, formats and serializes as `•••`, and is read only by `expose`. */
export class Secret {
  readonly #value: string;

  public constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that sends it. */
  public expose(): string {
    return this.#value;
  }

  public toString(): string {
    return concealed;
  }

  public toJSON(): string {
    return concealed;
  }

  /** What Node's `util.inspect`, and so `console.log`, shows. */
  public [Symbol.for('nodejs.util.inspect.custom')](): string {
    return concealed;
  }
}
