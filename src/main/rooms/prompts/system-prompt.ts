import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RoomSettings } from '../../../shared/contract/room.ts';
import { err, messageOf, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import { systemErrorCode } from '../../../shared/kernel/system-error.ts';
import type { Role } from '../../../shared/vocabulary/words.ts';
import type { NotSeen } from './not-seen.ts';

/** Most characters of a room's memory file that agents are given. */
const MAX_MEMORY_CHARACTERS = 40_000;

export interface SystemPrompt {
  readonly text: string;
  /** What does not fit into it. */
  readonly notSeen: readonly NotSeen[];
}

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
): Promise<Result<SystemPrompt, InstructionsFailure>> {
  const own = settings.prompts === null ? ok(null) : await readIfThere(join(settings.prompts, `${role}.md`));
  if (!own.ok) return own;
  const standard = await readFile(join(resourcesDirectory, 'prompts', `${role}.md`), 'utf8');
  const instructions = own.value ?? standard;
  if (settings.memory === null) return ok({ text: instructions, notSeen: [] });
  const memory = await readIfThere(settings.memory);
  if (!memory.ok) return memory;
  if (memory.value === null) return err(memoryMissing(settings.memory));
  const isCut = memory.value.length > MAX_MEMORY_CHARACTERS;
  const remembered =
    memory.value.slice(0, MAX_MEMORY_CHARACTERS) + (isCut ? '\n\n(The rest of it is left out.)' : '');
  return ok({
    text: `${instructions}\n\n# What this room remembers\n\n${remembered}`,
    notSeen: isCut ? [{ what: settings.memory, why: 'the memory is too long to be told whole' }] : [],
  });
}

function memoryMissing(path: string): InstructionsFailure {
  return {
    tag: 'instructions_unreadable',
    message: `The room's memory, ${path}, does not exist.`,
    next: "Make the file, or change the room's memory setting.",
  };
}

/** The text of a file, or null where there is none: a room may override one role and leave the others. */
async function readIfThere(path: string): Promise<Result<string | null, InstructionsFailure>> {
  try {
    return ok(await readFile(path, 'utf8'));
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return ok(null);
    return err({
      tag: 'instructions_unreadable',
      message: `${path} could not be read: ${messageOf(cause)}.`,
      next: "Make it readable, or change the room's prompts or memory setting.",
    });
  }
}
