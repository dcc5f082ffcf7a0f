import { createInterface } from 'node:readline/promises';
import type { ReadStream } from 'node:tty';
import { text as textOf } from 'node:stream/consumers';

/** Who types at standard input: a person at a terminal, or a pipe. */
export interface Person {
  readonly atTerminal: boolean;
  /** Everything that standard input has. */
  read(): Promise<string>;
  /** One line from the terminal; null where the person closes it, or the signal takes the question back. */
  ask(prompt: string, signal: AbortSignal): Promise<string | null>;
}

/** The person at the process's standard input; `interrupt` is called for a Ctrl-C while they are asked. */
export function personAt(input: ReadStream, output: NodeJS.WritableStream, interrupt: () => void): Person {
  return {
    atTerminal: input.isTTY,
    read: () => textOf(input),
    async ask(prompt, signal) {
      if (signal.aborted) return null;
      const lines = createInterface({ input, output, terminal: true });
      try {
        return await new Promise<string | null>((resolve, reject) => {
          lines.once('close', () => {
            resolve(null);
          });
          lines.once('SIGINT', () => {
            interrupt();
            resolve(null);
          });
          lines.question(prompt, { signal }).then(resolve, (thrown: unknown) => {
            if (signal.aborted) resolve(null);
            else reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
          });
        });
      } finally {
        lines.close();
      }
    },
  };
}
