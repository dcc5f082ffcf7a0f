import { basename, resolve } from 'node:path';
import { roomSettingsSchema } from '../../shared/contract/room.ts';
import type { EngineSettings, RoomSettings } from '../../shared/contract/room.ts';
import type { RoomView } from '../../shared/contract/views.ts';
import { describeIssues } from '../../shared/kernel/issues.ts';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { roles } from '../../shared/vocabulary/words.ts';
import type { RoomFlags } from './call.ts';
import type { EngineFlag } from './engine-flag.ts';

/** Longest name that leaves room for a number which makes it unique. */
const MAX_NAME_CHARACTERS = 60;

/** Settings that a person wrote, checked. */
export function readSettings(value: unknown, source: string): Result<RoomSettings> {
  const settings = roomSettingsSchema.safeParse(value);
  if (settings.success) return ok(settings.data);
  const message = `The settings in ${source} cannot be used: ${describeIssues(settings.error)}.`;
  return err({ tag: 'usage', message, next: 'docs/cli.md lists the settings of a room.' });
}

/** The settings with what the flags say. Relative paths start at `directory`. */
export function withFlags(before: RoomSettings, flags: RoomFlags, directory: string): RoomSettings {
  const { mode, setup, dependency, criterion, prompts, memory, permissions, sealOwner } = flags;
  return {
    ...before,
    ...(mode === undefined ? {} : { mode }),
    ...(setup === undefined ? {} : { setup: setup === false ? null : setup }),
    ...(dependency === undefined ? {} : { dependencies: [...dependency] }),
    ...(criterion === undefined ? {} : { criteria: [...criterion] }),
    ...(prompts === undefined ? {} : { prompts: resolve(directory, prompts) }),
    ...(memory === undefined ? {} : { memory: resolve(directory, memory) }),
    ...(permissions === undefined ? {} : { permissions }),
    ...(sealOwner === undefined ? {} : { sealedOwner: sealOwner }),
    roles: rolesWith(before, flags, directory),
    fallbacks: fallbacksWith(before, flags, directory),
    budget: {
      usd: flags.budgetUsd ?? before.budget.usd,
      tokens: flags.budgetTokens ?? before.budget.tokens,
      minutes: flags.budgetMinutes ?? before.budget.minutes,
      rounds: flags.budgetRounds ?? before.budget.rounds,
    },
  };
}

function rolesWith(before: RoomSettings, flags: RoomFlags, directory: string): RoomSettings['roles'] {
  const changed = { ...before.roles };
  for (const role of roles) {
    const flag = flags[role];
    if (flag === 'none') changed.arbiter = null;
    else if (flag !== undefined) changed[role] = engineSettings(flag, before.roles[role] ?? null, directory);
  }
  return changed;
}

function fallbacksWith(before: RoomSettings, flags: RoomFlags, directory: string): RoomSettings['fallbacks'] {
  const given = {
    owner: flags.fallbackOwner,
    reviewer: flags.fallbackReviewer,
    arbiter: flags.fallbackArbiter,
  };
  const changed: RoomSettings['fallbacks'] = {};
  for (const role of roles) {
    const flag = given[role];
    const earlier = before.fallbacks[role];
    if (flag === 'none') continue;
    const fallback = flag === undefined ? earlier : engineSettings(flag, earlier ?? null, directory);
    if (fallback !== undefined) changed[role] = fallback;
  }
  return changed;
}

/** A program that is named by a relative path is the one that is there now: turns run in other directories. */
function engineSettings(
  { engine, model, command }: EngineFlag,
  before: EngineSettings | null,
  directory: string,
): EngineSettings {
  const [program, ...args] = command ?? [];
  const path = program !== undefined && /^\.{1,2}[/\\]/.test(program) ? resolve(directory, program) : program;
  return {
    engine,
    model,
    maxTokens: before?.engine === engine ? before.maxTokens : null,
    command: path === undefined ? null : [path, ...args],
  };
}

/** A name for the room of a directory that no other room has. */
export function nameFor(directory: string, rooms: readonly RoomView[]): string {
  const taken = new Set(rooms.map(({ settings }) => settings.name));
  const name =
    basename(directory)
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^[^a-z0-9]+|-+$/g, '')
      .slice(0, MAX_NAME_CHARACTERS) || 'room';
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}
