import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemPrompt } from '../../../../../src/main/rooms/prompts/system-prompt.ts';
import { roomSettingsSchema } from '../../../../../src/shared/contract/room.ts';
import type { RoomSettings } from '../../../../../src/shared/contract/room.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

function resources(): string {
  const folder = temporaryFolder('resources');
  mkdirSync(join(folder, 'prompts'));
  for (const role of ['owner', 'reviewer', 'arbiter']) {
    writeFileSync(join(folder, 'prompts', `${role}.md`), `You are the ${role}.`);
  }
  return folder;
}

function settings(changes: Partial<RoomSettings>): RoomSettings {
  return { ...roomSettingsSchema.parse({ name: 'shop', directory: '/shop' }), ...changes };
}

async function textOf(changes: Partial<RoomSettings>): Promise<string> {
  const prompt = await systemPrompt('owner', settings(changes), resources());
  return prompt.ok ? prompt.value.text : prompt.failure.message;
}

describe('what an agent is told for its whole session', () => {
  it('is its role’s instructions', async () => {
    expect(await textOf({})).toBe('You are the owner.');
  });

  it('is the room’s own where it has them, and the product’s where its folder lacks the role', async () => {
    const prompts = temporaryFolder('prompts');
    expect(await textOf({ prompts })).toBe('You are the owner.');
    writeFileSync(join(prompts, 'owner.md'), 'Own it.');
    expect(await textOf({ prompts })).toBe('Own it.');
  });

  it('has the room’s memory, and says where that is cut', async () => {
    const memory = join(temporaryFolder('memory'), 'memory.md');
    writeFileSync(memory, 'Carts are blue.');
    expect(await textOf({ memory })).toBe(
      'You are the owner.\n\n# What this room remembers\n\nCarts are blue.',
    );
    writeFileSync(memory, 'x'.repeat(40_001));
    expect(await textOf({ memory })).toMatch(/x\n\n\(The rest of it is left out\.\)$/);
    const cut = await systemPrompt('owner', settings({ memory }), resources());
    expect(cut).toMatchObject({ value: { notSeen: [{ what: memory }] } });
  });

  it('is a failure where the memory is missing: an agent without it would not know', async () => {
    const memory = join(temporaryFolder('memory'), 'memory.md');
    expect(await textOf({ memory })).toBe(`The room's memory, ${memory}, does not exist.`);
  });
});
