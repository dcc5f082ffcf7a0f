import { describe, expect, it } from 'vitest';
import { readEngineFlag } from '../../../../src/main/cli/engine-flag.ts';
import { nameFor, readSettings, withFlags } from '../../../../src/main/cli/room-settings.ts';
import { roomSettingsSchema } from '../../../../src/shared/contract/room.ts';
import type { RoomView } from '../../../../src/shared/contract/views.ts';

const settings = roomSettingsSchema.parse({
  name: 'shop',
  directory: '/code/shop',
  roles: { owner: { engine: 'anthropic', model: 'a', maxTokens: 9 } },
  criteria: ['tests pass'],
  budget: { usd: 3 },
});

const room = (name: string): RoomView => ({
  id: `room_${name}`,
  settings: { ...settings, name },
  createdAt: 0,
  openTask: null,
});

describe('withFlags', () => {
  it('changes nothing without flags', () => {
    expect(withFlags(settings, {}, '/here')).toEqual(settings);
  });

  it('changes what is named, and nothing else', () => {
    const changed = withFlags(
      settings,
      {
        reviewer: { engine: 'command', model: null, command: ['./agent.sh', './x'] },
        budgetTokens: 5,
        setup: 'make',
        memory: 'notes.md',
      },
      '/here',
    );
    expect(changed).toEqual({
      ...settings,
      roles: {
        ...settings.roles,
        reviewer: { engine: 'command', model: null, maxTokens: null, command: ['/here/agent.sh', './x'] },
      },
      budget: { ...settings.budget, tokens: 5 },
      setup: 'make',
      memory: '/here/notes.md',
    });
    expect(readSettings(changed, 'a test').ok).toBe(true);
  });

  it('keeps an engine’s longest reply when only the model changes', () => {
    const owner = { engine: 'anthropic', model: 'b', command: null } as const;
    expect(withFlags(settings, { owner }, '/').roles.owner).toMatchObject({ model: 'b', maxTokens: 9 });
  });

  it('says what the owner may do, where it works, and who takes over', () => {
    const fallbackReviewer = { engine: 'codex', model: 'gpt-5.6-terra', command: null } as const;
    const flags = { permissions: 'ask', sealOwner: true, fallbackReviewer } as const;
    const changed = withFlags(settings, flags, '/');
    const reviewer = { engine: 'codex', model: 'gpt-5.6-terra', maxTokens: null, command: null };
    expect(changed).toEqual({ ...settings, permissions: 'ask', sealedOwner: true, fallbacks: { reviewer } });
    expect(readSettings(changed, 'a test').ok).toBe(true);
    const back = withFlags(changed, { sealOwner: false, fallbackReviewer: 'none' }, '/');
    expect(back).toStrictEqual({ ...settings, permissions: 'ask' });
  });

  it('takes the arbiter out, so that deadlocks go to a person', () => {
    const changed = withFlags(settings, { arbiter: 'none' }, '/');
    expect(changed.roles).toEqual({ ...settings.roles, arbiter: null });
    expect(readSettings(changed, 'a test').ok).toBe(true);
  });

  it('leaves a program that is looked up in PATH as it is', () => {
    const owner = { engine: 'command', model: null, command: ['agent'] } as const;
    expect(withFlags(settings, { owner }, '/here').roles.owner?.command).toEqual(['agent']);
  });
});

describe('nameFor', () => {
  it.each([
    ['/code/shop', 'shop'],
    ['/code/My Shop!', 'my-shop'],
    ['/code/.dotfiles', 'dotfiles'],
    ['/code/Café', 'cafe'],
    ['/code/日本', 'room'],
    ['/', 'room'],
  ])('names the room of %s %s', (directory, name) => {
    expect(nameFor(directory, [])).toBe(name);
    expect(readSettings({ name, directory }, 'a test').ok).toBe(true);
  });

  it('makes the name unique, however long it is', () => {
    expect(nameFor('/code/shop', [room('shop'), room('shop-2')])).toBe('shop-3');
    const long = nameFor(`/code/${'x'.repeat(200)}`, [room('x'.repeat(60))]);
    expect(readSettings({ name: long, directory: '/' }, 'a test').ok).toBe(true);
  });
});

describe('readEngineFlag', () => {
  it.each([
    ['anthropic', { engine: 'anthropic', model: null, command: null }],
    ['codex:o:1', { engine: 'codex', model: 'o:1', command: null }],
    ['anthropic:', { engine: 'anthropic', model: null, command: null }],
    ['command:a  b', { engine: 'command', model: null, command: ['a', 'b'] }],
    ['command:["a","b c"]', { engine: 'command', model: null, command: ['a', 'b c'] }],
  ])('reads %s', (text, flag) => {
    expect(readEngineFlag(text)).toEqual({ ok: true, value: flag });
  });

  it.each(['', 'gpt', 'command', 'command: ', 'command:[]', 'command:[1]', 'command:["a"'])(
    'refuses %j',
    (text) => {
      expect(readEngineFlag(text).ok).toBe(false);
    },
  );
});
