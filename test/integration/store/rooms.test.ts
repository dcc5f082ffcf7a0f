import { describe, expect, it } from 'vitest';
import { newRoom, openedStore, roomSettings, temporaryDirectory } from './support.ts';

describe('rooms', () => {
  it('are found by name or id, and give each name once', () => {
    const store = openedStore(temporaryDirectory());
    const id = newRoom(store, 'lab');
    expect(store.rooms.find('lab')?.id).toBe(id);
    expect(store.rooms.find(id)?.settings).toEqual(roomSettings('lab'));
    expect(store.rooms.find('elsewhere')).toBeNull();
    expect(store.rooms.create(roomSettings('lab'))).toMatchObject({ failure: { tag: 'room_name_taken' } });
  });

  it('take other settings, and another name where it is free', () => {
    const store = openedStore(temporaryDirectory());
    const id = newRoom(store, 'lab');
    newRoom(store, 'office');
    expect(store.rooms.update(id, roomSettings('office'))).toMatchObject({
      failure: { tag: 'room_name_taken' },
    });
    const settings = { ...roomSettings('studio'), setup: 'npm ci' };
    expect(store.rooms.update(id, settings)).toMatchObject({ ok: true, value: { id, settings } });
    expect(store.rooms.byName('lab')).toBeNull();
    expect(store.rooms.byName('studio')).toMatchObject({ id, settings });
    expect(store.rooms.list().map((room) => room.name)).toEqual(['office', 'studio']);
  });
});
