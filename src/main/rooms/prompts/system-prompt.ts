import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RoomSettings } from '../../../shared/contract/room.ts';
import { err, messageOf, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import type { Role } from '../../../shared/vocabulary/words.ts';

/** Most characters of a room's memory file that agents are given. */
const MAX_MEMORY_CHARS = 40_000;

export interface InstructionsFailure extends Failure {
  readonly tag: 'instructions_unreadable';
}

/**
 * What an agent is told once for its whole session: its role's instructions (the room's own where it has them),
 * and the room's memory. Equal for all turns of a session, so that engines can cache it.
 */
export async function systemPrompt(
  role: Role,
  settings: RoomSettings,
  resourcesDirectory: string,
): Promise<Result<string, InstructionsFailure>> {
  const own = settings.prompts === null ? ok(null) : await readIfThere(join(settings.prompts, `${role}.md`));
  if (!own.ok) return own;
  const standard = await readFile(join(resourcesDirectory, 'prompts', `${role}.md`), 'utf8');
  const memory = settings.memory === null ? ok(null) : await readIfThere(settings.memory);
  if (!memory.ok) return memory;
  const instructions = own.value ?? standard;
  return ok(
    memory.value === null
      ? instructions
      : `${instructions}\n\n# What this room remembers\n\n${memory.value.slice(0, MAX_MEMORY_CHARS)}`,
  );
}

/** The text of a file, or null where there is none: a room may override one role and leave the others. */
async function readIfThere(path: string): Promise<Result<string | null, InstructionsFailure>> {
  try {
    return ok(await readFile(path, 'utf8'));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return ok(null);
    return err({
      tag: 'instructions_unreadable',
      message: `${path} could not be read: ${messageOf(cause)}.`,
      next: "Make it readable, or change the room's prompts or memory setting.",
    });
  }
}
