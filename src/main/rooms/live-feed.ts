import type { RoomId, TaskId, TurnId } from '../../shared/vocabulary/ids.ts';
import type { TurnEvent } from '../ports/engine.ts';

/** Something that can be watched while it happens and is not kept in the log. */
export interface LiveItem {
  readonly roomId: RoomId;
  readonly taskId: TaskId;
  readonly turnId: TurnId;
  readonly event: TurnEvent;
}

/** Passes on what running turns show to whoever watches now. */
export class LiveFeed {
  readonly #watchers = new Set<(item: LiveItem) => void>();

  public publish(item: LiveItem): void {
    for (const watcher of this.#watchers) watcher(item);
  }

  /** The returned function ends it. */
  public watch(watcher: (item: LiveItem) => void): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }
}
