/** A turn that is due and waits to be started. */
export interface Waiting {
  readonly jobId: string;
  readonly roomId: string;
  /** It answers a person's message or answer. */
  readonly forPerson: boolean;
  /** When it became due, in milliseconds since 1970. */
  readonly since: number;
}

/** Who runs, and how many may. */
export interface Slots {
  /** Most turns at once, over all rooms. One slot is always kept for a person's message. */
  readonly total: number;
  /** Rooms in which something runs: a room does one thing at a time. */
  readonly busyRooms: ReadonlySet<string>;
  readonly running: number;
  /** How many of them answer a person. */
  readonly runningForPersons: number;
  /** When each room was last served; a room that waited longest goes first. */
  readonly servedAt: ReadonlyMap<string, number>;
}

/** The turn to start next, or null where none may start now. */
export function nextToStart(waiting: readonly Waiting[], slots: Slots): Waiting | null {
  const full = slots.running >= slots.total;
  const others = slots.running - slots.runningForPersons;
  const othersMayStart = slots.total === 1 || others < slots.total - 1;
  const candidates = waiting.filter(
    (turn) => !full && !slots.busyRooms.has(turn.roomId) && (turn.forPerson || othersMayStart),
  );
  const [first] = candidates.toSorted(
    (a, b) =>
      (slots.servedAt.get(a.roomId) ?? 0) - (slots.servedAt.get(b.roomId) ?? 0) ||
      Number(b.forPerson) - Number(a.forPerson) ||
      a.since - b.since ||
      (a.jobId < b.jobId ? -1 : 1),
  );
  return first ?? null;
}
