import { monotonicFactory } from 'ulid';
import type { Clock } from '../../shared/kernel/clock.ts';
import { idPrefixes } from '../../shared/vocabulary/ids.ts';
import type { NewId } from '../../shared/vocabulary/ids.ts';

/** Makes ids that sort by the time they were made, within one millisecond too, and when the clock is set back. */
export function ulidsBy(clock: Clock): NewId {
  const next = monotonicFactory();
  return (kind) => `${idPrefixes[kind]}_${next(clock.now())}`;
}
