const BEGIN = '\u001b]7717;';
const END = '\u0007';

/**
 * The shell that runs a command ends by printing a mark with the exit code, and then waits to be ended. The mark
 * is the last thing in the terminal's queue, so whoever has read it has read all output before it. That is
 * certain, where "the process has exited" is not: the last output may then still be on its way, and is lost if
 * the terminal closes meanwhile (microsoft/node-pty#72, #726).
 */
export function shellArguments(shell: string, command: string, token: string): string[] {
  // The command has a shell of its own, so that an `exit` in it does not skip the mark.
  const script = `"$0" -c "$1"; printf '\\033]7717;%s;%s\\007' "$2" "$?"; exec sleep 2147483647`;
  return ['-c', script, shell, command, token];
}

/** The mark itself, for who writes it without a shell. */
export function completionMark(token: string, exitCode: number): string {
  return `${BEGIN}${token};${exitCode}${END}`;
}

/** Splits a terminal's stream into the command's output and the mark at its end. */
export class CompletionReader {
  readonly #begin: string;
  #held = '';
  #complete = false;

  public constructor(token: string) {
    this.#begin = `${BEGIN}${token};`;
  }

  /** What is output for certain, and the exit code once the mark is complete. */
  public read(data: string): { readonly output: string; readonly exitCode: number | null } {
    // What still comes is from something that the command has left behind.
    if (this.#complete) return { output: '', exitCode: null };
    const text = this.#held + data;
    const begin = text.indexOf(this.#begin);
    if (begin === -1) {
      const keep = lengthOfPossibleBegin(text, this.#begin);
      this.#held = text.slice(text.length - keep);
      return { output: text.slice(0, text.length - keep), exitCode: null };
    }
    const end = text.indexOf(END, begin);
    if (end === -1) {
      this.#held = text.slice(begin);
      return { output: text.slice(0, begin), exitCode: null };
    }
    this.#held = '';
    this.#complete = true;
    return { output: text.slice(0, begin), exitCode: Number(text.slice(begin + this.#begin.length, end)) };
  }

  /** What was held back for a mark that never came. */
  public rest(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

/** The length of the longest end of `text` with which `begin` begins. */
function lengthOfPossibleBegin(text: string, begin: string): number {
  for (let length = Math.min(text.length, begin.length - 1); length > 0; length -= 1) {
    if (text.endsWith(begin.slice(0, length))) return length;
  }
  return 0;
}
