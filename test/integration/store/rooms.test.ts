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
    expect(store.rooms.update(id, settings)).toMatchObject({ ok: true });
    expect(store.rooms.byName('lab')).toBeNull();
    expect(store.rooms.byName('studio')).toMatchObject({ id, settings });
  });

  it('are put away and brought back', () => {
    const store = openedStore(temporaryDirectory());
    const id = newRoom(store);
    store.rooms.archive(id);
    expect(store.rooms.list()).toEqual([]);
    expect(store.rooms.list('all')).toHaveLength(1);
    store.rooms.restore(id);
    expect(store.rooms.list()).toHaveLength(1);
  });
});

describe('agents', () => {
  it('are registered with what reaches them', () => {
    const store = openedStore(temporaryDirectory());
    const agent = store.agents.add({
      name: 'builder',
      type: 'tmux',
      config: { tmux_session: 'main', tmux_pane: '0' },
      channelId: 'discord:1',
    });
    store.agents.setStatus(agent.id, 'online');
    expect(store.agents.byName('builder')).toEqual({ ...agent, status: 'online' });
    expect(() => store.agents.add({ ...agent, name: 'other' })).toThrow(/UNIQUE/);
    expect(store.agents.list()).toHaveLength(1);
  });
});
