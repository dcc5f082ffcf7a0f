import { engineNames } from '../../shared/vocabulary/words.ts';
import type { EngineName } from '../../shared/vocabulary/words.ts';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';

/** An engine as a flag names it: `ENGINE[:MODEL]`, or `command:PROGRAM ARGUMENTS…`. */
export interface EngineFlag {
  readonly engine: EngineName;
  readonly model: string | null;
  readonly command: readonly string[] | null;
}

/**
 * Reads an engine flag. A program's arguments are cut at white space; one that holds white space is given as a
 * JSON list (`command:["./agent.sh","two words"]`).
 */
export function readEngineFlag(text: string): Result<EngineFlag> {
  const [name, rest] = cutOnce(text, ':');
  const engine = engineNames.find((known) => known === name);
  if (engine === undefined) {
    return refuse(`There is no engine "${name}".`, `Name one of ${engineNames.join(', ')}.`);
  }
  if (engine !== 'command') return ok({ engine, model: rest === '' ? null : rest, command: null });
  const command = readCommand(rest ?? '');
  if (command === null) {
    return refuse(`"${text}" names no program.`, 'Write command:PROGRAM, such as command:./agent.sh.');
  }
  return ok({ engine, model: null, command });
}

function readCommand(text: string): readonly string[] | null {
  const words = text.trim().startsWith('[')
    ? readList(text)
    : text.split(/\s+/).filter((word) => word !== '');
  return words === null || words.length === 0 ? null : words;
}

function readList(text: string): readonly string[] | null {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((word) => typeof word === 'string') ? list : null;
  } catch {
    return null;
  }
}

function cutOnce(text: string, separator: string): [string, string | null] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

function refuse(message: string, next: string): Result<never> {
  return err({ tag: 'usage', message, next });
}
