import type { FollowInput, FollowItem } from '../../../shared/contract/contract.ts';
import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { EventFilter, StoredEvent } from '../../store/events.ts';
import { findRoom, findTask } from './handler.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { eventView, liveView } from './views.ts';

export function eventHandlers(context: HandlerContext): Handlers<'events'> {
  return {
    'events.since': ({ after, limit, room, task }) => {
      const filter = filterOf(context, { room, task });
      if (!filter.ok) return filter;
      return ok(context.parts.store.events.since(after, filter.value, limit).map(eventView));
    },
  };
}

/** Gives every event after a place in the log, then each new one as it is committed, with what is only live between. */
export function followEvents(
  context: HandlerContext,
  input: FollowInput,
  onItem: (item: FollowItem) => void,
): Result<() => void> {
  const { store, liveFeed } = context.parts;
  const filter = filterOf(context, input);
  if (!filter.ok) return filter;
  const wanted = filter.value;
  let last = input.after ?? store.events.lastSeq();
  const give = (event: StoredEvent): void => {
    if (event.seq <= last) return;
    last = event.seq;
    onItem({ event: eventView(event) });
  };
  // Reading and subscribing happen in one go, so no event can come between them.
  for (
    let page = store.events.since(last, wanted);
    page.length > 0;
    page = store.events.since(last, wanted)
  ) {
    page.forEach(give);
  }
  const stopEvents = store.events.onAppended((event) => {
    if (matches(event, wanted)) give(event);
  });
  const stopLive = liveFeed.watch((item) => {
    if (matches(item, wanted)) onItem({ live: liveView(item) });
  });
  return ok(() => {
    stopEvents();
    stopLive();
  });
}

function filterOf(
  context: HandlerContext,
  { room, task }: { readonly room?: string | undefined; readonly task?: string | undefined },
): Result<EventFilter> {
  if (task !== undefined) {
    const found = findTask(context, task);
    return found.ok ? ok({ taskId: found.value.id }) : found;
  }
  if (room === undefined) return ok('all');
  const found = findRoom(context, room);
  return found.ok ? ok({ roomId: found.value.id }) : found;
}

function matches(thing: Pick<StoredEvent, 'roomId' | 'taskId'>, filter: EventFilter): boolean {
  if (filter === 'all') return true;
  return 'roomId' in filter ? thing.roomId === filter.roomId : thing.taskId === filter.taskId;
}
