/** An expected failure is a value; only bugs throw. */
export type Result<T, F extends Failure = Failure> = Ok<T> | Err<F>;

export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}

export interface Err<F extends Failure> {
  readonly ok: false;
  readonly failure: F;
}

/**
 * What went wrong, for a program (`tag`) and for the person who will read it (`message`: what happened, to
 * what). `next` is what that person can do about it.
 */
export interface Failure {
  readonly tag: string;
  readonly message: string;
  readonly next?: string;
}

export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

export function err<F extends Failure>(failure: F): Err<F> {
  return { ok: false, failure };
}

/** One line for logs and terminals. */
export function describeFailure(failure: Failure): string {
  const { message, next } = failure;
  if (next === undefined) return message;
  return /[.!?…]["”)]?$/.test(message) ? `${message} ${next}` : `${message}. ${next}`;
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Ends a switch over a union; reaching it is a bug. */
export function assertNever(value: never): never {
  throw new Error(`A value that cannot be: ${JSON.stringify(value)}`);
}
