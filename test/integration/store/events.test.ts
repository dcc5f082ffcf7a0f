import { describe, expect, it } from 'vitest';
import { openedStore, temporaryDirectory } from './support.ts';

describe('the event log', () => {
  it('is read from a place on, in pages, whole or by room or task', () => {
    const store = openedStore(temporaryDirectory());
    expect(store.events.lastSeq()).toBe(0);
    store.events.append({ type: 'room.created', roomId: 'room_1', data: { words: 'häßlich 👩‍🔬' } });
    store.events.append({
      type: 'task.started',
      roomId: 'room_1',
      taskId: 'task_1',
      turnId: 'turn_1',
      data: {},
    });
    store.events.append({
      type: 'task.completed',
      roomId: 'room_2',
      taskId: 'task_2',
      data: { deep: { list: [1, null] } },
    });
    const types = (events: readonly { readonly type: string }[]): string[] =>
      events.map((event) => event.type);
    expect(types(store.events.since(0))).toEqual(['room.created', 'task.started', 'task.completed']);
    expect(types(store.events.since(1))).toEqual(['task.started', 'task.completed']);
    expect(types(store.events.since(0, 'all', 2))).toEqual(['room.created', 'task.started']);
    expect(types(store.events.since(0, { roomId: 'room_1' }))).toEqual(['room.created', 'task.started']);
    expect(types(store.events.since(1, { roomId: 'room_1' }))).toEqual(['task.started']);
    expect(types(store.events.since(0, { taskId: 'task_2' }))).toEqual(['task.completed']);
    expect(store.events.lastSeq()).toBe(3);
  });

  it('gives back what was appended', () => {
    const store = openedStore(temporaryDirectory());
    const event = store.events.append({
      type: 'room.created',
      roomId: 'room_1',
      data: { words: 'häßlich 👩‍🔬', none: null },
    });
    expect(store.events.since(0)).toEqual([event]);
  });
});
