import { Applies } from '../rooms/applies.ts';
import { Dispatcher } from '../rooms/dispatcher.ts';
import { OutboxSender } from '../rooms/outbox-sender.ts';
import type { Parts } from '../rooms/parts.ts';
import { closing } from './shutdown.ts';
import type { Closing } from './shutdown.ts';

/** What carries on what the store says is to be done: turns, applies, and messages on their way out. */
export interface Workers {
  readonly applies: Applies;
  /** How many turns run now. */
  readonly running: () => number;
  /** Takes up what waits. */
  begin(): Promise<void>;
}

/** How long messages get to arrive, what is applied to be written, and running turns to end their processes. */
const OUTBOX_DEADLINE_MS = 2_000;
const APPLIES_DEADLINE_MS = 5_000;
const TURNS_DEADLINE_MS = 5_000;

/** Makes them, and notes each for its end. A host that takes up no task still sends what it says itself. */
export function makeWorkers(
  parts: Parts,
  { work, turnsAtOnce }: { readonly work: boolean; readonly turnsAtOnce: number },
  closings: Closing[],
): Workers {
  const outbox = new OutboxSender(parts);
  closings.push(closing('outbox', OUTBOX_DEADLINE_MS, () => outbox.stop()));
  const applies = new Applies(parts);
  closings.push(closing('applies', APPLIES_DEADLINE_MS, () => applies.settled()));
  const dispatcher = work ? new Dispatcher(parts, turnsAtOnce) : null;
  closings.push(closing('turns', TURNS_DEADLINE_MS, () => dispatcher?.stop()));
  return {
    applies,
    running: () => dispatcher?.running ?? 0,
    async begin() {
      outbox.look();
      if (work) await applies.finishLost();
      dispatcher?.begin();
    },
  };
}
