import type { Store } from '../store/store.ts';
import { VERSION } from './version.ts';

/** What a host that died had begun: its leases are void, its tries are over, what they asked is taken back, its jobs wait again. */
export function recover(store: Store, endedProcesses: number): void {
  store.transaction(() => {
    const lost = store.turns.endLost();
    const reclaimed = store.jobs.reclaim();
    for (const { id, taskId } of store.permissions.withdrawAll()) {
      const roomId = store.tasks.load(taskId)?.roomId ?? null;
      store.events.append({ type: 'escalation.closed', roomId, taskId, data: { escalation: id } });
    }
    store.events.append({
      type: 'host.started',
      data: {
        version: VERSION,
        lostAttempts: lost.length,
        unknownEffects: store.effects.endLost(),
        reclaimedJobs: reclaimed.length,
        endedProcesses,
      },
    });
  });
}
