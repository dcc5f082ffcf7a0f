import { describe, expect, it } from 'vitest';
import type { NewMessage } from '../../../src/main/store/messages.ts';
import { HandClock, openedStore, START, temporaryDirectory } from './support.ts';

const fromPerson: NewMessage = {
  channel: 'local:lab',
  roomId: null,
  taskId: null,
  agentId: null,
  sourceAgentId: null,
  type: 'human_message',
  role: 'human',
  status: 'pending',
  payload: { text: 'Fix it.', sender_name: 'Ada' },
};

describe('the inbox', () => {
  it('lets a message in once', () => {
    const store = openedStore(temporaryDirectory());
    const first = store.messages.accept('discord:1', fromPerson);
    if (first.kind !== 'new') throw new Error('not new');
    expect(store.messages.accept('discord:1', { ...fromPerson, payload: { text: 'Other words.' } })).toEqual({
      kind: 'known',
      id: first.message.id,
    });
    expect(store.messages.accept('discord:2', fromPerson).kind).toBe('new');
    expect(store.messages.byId(first.message.id)).toEqual(first.message);
  });

  it('forgets what was rolled back', () => {
    const store = openedStore(temporaryDirectory());
    expect(() => {
      store.transaction(() => {
        store.messages.accept('discord:1', fromPerson);
        throw new Error('no');
      });
    }).toThrow('no');
    expect(store.messages.accept('discord:1', fromPerson).kind).toBe('new');
  });
});

describe('messages', () => {
  it('are assigned to a task', () => {
    const store = openedStore(temporaryDirectory());
    const { id } = store.messages.add(fromPerson);
    store.messages.assign(id, 'task_1');
    store.messages.add(fromPerson);
    expect(store.messages.ofTask('task_1')).toMatchObject([{ ...fromPerson, id, taskId: 'task_1' }]);
  });
});

describe('the outbox', () => {
  it('delivers a message once it is sent, and only then', () => {
    const clock = new HandClock();
    const store = openedStore(temporaryDirectory(), clock);
    const message = store.messages.add(fromPerson);
    const id = store.outbox.add(message.id, 'local:lab');
    expect(store.outbox.due(START).map((entry) => entry.id)).toEqual([id]);
    store.outbox.failed(id, 'unavailable', START + 100);
    expect(store.outbox.due(START)).toEqual([]);
    expect(store.outbox.nextRunAt()).toBe(START + 100);
    expect(store.messages.byId(message.id)?.status).toBe('pending');
    clock.advance(100);
    store.outbox.sent(id);
    clock.advance(100);
    store.outbox.sent(id);
    store.outbox.failed(id, 'too late', null);
    expect(store.outbox.byId(id)).toMatchObject({
      state: 'sent',
      attempt: 2,
      sentAt: START + 100,
      lastError: null,
    });
    expect(store.messages.byId(message.id)?.status).toBe('delivered');
    expect(store.outbox.nextRunAt()).toBeNull();
  });

  it('says when a message has failed for good', () => {
    const store = openedStore(temporaryDirectory());
    const message = store.messages.add(fromPerson);
    store.outbox.failed(store.outbox.add(message.id, 'local:lab'), 'refused', null);
    expect(store.messages.byId(message.id)?.status).toBe('failed');
  });
});
