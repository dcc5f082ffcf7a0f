import { chooseRunner } from '../domain/fallback/choice.ts';
import type { Room } from '../store/rooms.ts';
import type { Parts } from './parts.ts';
import { runnersOf } from './turn/runners.ts';

/** Lets a turn that waits for a reset start at once where something else can take it by now, because settings have changed. */
export function wakeWaiting(parts: Parts, room: Room): void {
  const { store, clock } = parts;
  const task = store.tasks.openOf(room.id);
  const live = task === null ? null : store.turns.liveOf(task.id);
  if (task === null || live === null || store.jobs.turnWaitsUntil(task.id) === null) return;
  // The pause after a failed try is no such wait.
  const last = store.turns.attemptsOf(live.id).at(-1);
  if (last?.outcome === 'failed' && last.number === live.attempt - 1) return;
  const runners = runnersOf({ parts, room, role: live.role });
  const choice = runners.ok ? chooseRunner(runners.value.all, store.coolDowns.all(), clock.now()) : null;
  if (choice?.kind !== 'wait') store.jobs.hurryTurn(task.id);
}
