import type { TaskId } from '../../shared/vocabulary/ids.ts';
import type { BudgetLimit } from '../../shared/vocabulary/words.ts';

/** How a running turn is reached from outside. */
export interface Reins {
  readonly number: number;
  /** Ends its processes and calls. */
  end(): void;
  /** Its budget is used up: it may only wrap up. */
  wrapUp(limit: BudgetLimit): void;
}

/** The turns that run in this process, one a task. */
export class LiveTurns {
  readonly #reins = new Map<TaskId, Reins>();
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Registers a running turn; the returned function takes it off again. */
  public add(taskId: TaskId, reins: Reins): () => void {
    if (this.#reins.has(taskId)) throw new Error(`${taskId} has a running turn already.`);
    this.#reins.set(taskId, reins);
    return () => {
      this.#reins.delete(taskId);
    };
  }

  public of(taskId: TaskId, number: number): Reins | null {
    const reins = this.#reins.get(taskId);
    return reins?.number === number ? reins : null;
  }

  /** A message has arrived for a running turn. */
  public offer(taskId: TaskId, number: number): void {
    for (const tell of this.#listeners.get(turnKey(taskId, number)) ?? []) tell();
  }

  /** Tells of each message that arrives for a turn; the returned function ends the telling. */
  public onOffer(taskId: TaskId, number: number, tell: () => void): () => void {
    const key = turnKey(taskId, number);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(tell));
    return () => {
      listeners.delete(tell);
      if (listeners.size === 0) this.#listeners.delete(key);
    };
  }
}

function turnKey(taskId: TaskId, number: number): string {
  return `${taskId}:${number}`;
}
