import type { TribunalEvent } from './event.ts';
import type { Move } from './moves.ts';
import { rules } from './rules.ts';
import type { Task } from './task.ts';

/** A move, and the row of the table that it comes from. */
export interface Decision extends Move {
  /** The row's sentence; null where no row matched, so that nothing changed. */
  readonly rule: string | null;
}

/** What follows from an event: the first row that matches, or nothing. */
export function decide(task: Task, event: TribunalEvent): Decision {
  for (const rule of rules) {
    const move = rule.apply(task, event);
    if (move !== null) return { ...move, rule: rule.name };
  }
  return { task, effects: [], rule: null };
}
