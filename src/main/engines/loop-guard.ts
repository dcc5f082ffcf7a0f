import type { EngineFailure } from '../ports/engine.ts';

/** So many equal calls with equal answers, one after the other, are a loop: nothing can come of the next. */
const CALLS_OF_A_LOOP = 5;

/** Watches the tool calls of one attempt. */
export class LoopGuard {
  #last = '';
  #times = 0;

  /** Whether this call, with this answer, closes a loop. */
  public closes(call: { readonly tool: string; readonly input: unknown; readonly answer: string }): boolean {
    const seen = JSON.stringify([call.tool, call.input, call.answer]);
    this.#times = seen === this.#last ? this.#times + 1 : 1;
    this.#last = seen;
    return this.#times >= CALLS_OF_A_LOOP;
  }
}

/** How an attempt ends that goes round in circles. */
export function looped(tool: string): EngineFailure {
  return {
    tag: 'looped',
    forGood: false,
    message: `The agent called ${tool} ${CALLS_OF_A_LOOP} times in a row with the same input, and got the same answer each time.`,
    next: 'It is tried again; if it happens again, say in a message what it should do instead.',
  };
}
