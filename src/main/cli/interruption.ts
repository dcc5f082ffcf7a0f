import { exitCodes } from './exit-codes.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Ctrl-C: the first time the command ends in good order, the second time at once. */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #listener = (): void => {
    this.interrupt();
  };

  public constructor() {
    for (const signal of signals) process.on(signal, this.#listener);
  }

  public get signal(): AbortSignal {
    return this.#controller.signal;
  }

  public interrupt(): void {
    if (this.signal.aborted) process.exit(exitCodes.interrupted);
    this.#controller.abort();
  }

  public close(): void {
    for (const signal of signals) process.off(signal, this.#listener);
  }
}
