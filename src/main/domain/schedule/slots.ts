/** A turn that waits for a place. */
export interface Waiting {
  readonly jobId: string;
  readonly roomId: string;
  /** It answers a person's message or answer. */
  readonly forPerson: boolean;
  /** When it became due, in milliseconds since 1970. */
  readonly since: number;
}

/** Who runs, and how many may. */
export interface Places {
  /** Most turns at once, over all rooms. One of them is always kept for a person's message. */
  readonly total: number;
  /** Rooms in which something runs: a room does one thing at a time. */
  readonly busyRooms: ReadonlySet<string>;
  readonly running: number;
  /** When each room was last served; a room that waited longest goes first. */
  readonly servedAt: ReadonlyMap<string, number>;
}

/** The turn to start next, or null where none may start now. */
export function nextToStart(waiting: readonly Waiting[], places: Places): Waiting | null {
  const free = places.total - places.running;
  const candidates = waiting.filter(
    (turn) => !places.busyRooms.has(turn.roomId) && free > (turn.forPerson || places.total === 1 ? 0 : 1),
  );
  const [first] = candidates.toSorted(
    (a, b) =>
      Number(b.forPerson) - Number(a.forPerson) ||
      (places.servedAt.get(a.roomId) ?? 0) - (places.servedAt.get(b.roomId) ?? 0) ||
      a.since - b.since ||
      (a.jobId < b.jobId ? -1 : 1),
  );
  return first ?? null;
}
