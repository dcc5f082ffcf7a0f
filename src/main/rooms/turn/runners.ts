import type { EngineSettings } from '../../../shared/contract/room.ts';
import { describeFailure, err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { Role } from '../../../shared/vocabulary/words.ts';
import type { Runner } from '../../domain/fallback/choice.ts';
import type { AccountSource } from '../../ports/accounts.ts';
import type { Account, Engine, EngineFailure } from '../../ports/engine.ts';
import type { Room } from '../../store/rooms.ts';
import { fallbackSettings, roleSettings } from '../parts.ts';
import type { Parts } from '../parts.ts';

/** An engine that can run a role's turns, with an account that is open. */
export interface TurnRunner extends Runner {
  readonly runs: Engine;
  readonly settings: EngineSettings;
  readonly opened: Account | null;
}

/** What can run a role's turns in a room, the preferred first. */
export interface Runners {
  readonly all: readonly TurnRunner[];
  /** Why an engine or an account that is set is none of them, for the record. */
  readonly passedOver: readonly string[];
}

/** Whose turns those are. */
type Whose = { readonly parts: Parts; readonly room: Room; readonly role: Role };

/** Whether a role's agent works in a container: on an engine that runs a program, all do but an owner whose room leaves it out. */
export function isSealed(engine: Pick<Engine, 'runsCli'>, sealedOwner: boolean, role: Role): boolean {
  return engine.runsCli && (role !== 'owner' || sealedOwner);
}

/** The accounts of the role's engine, then those of its fallback. A failure where none of them can be used at all. */
export function runnersOf(whose: Whose): Result<Runners, EngineFailure> {
  const { parts, room, role } = whose;
  const preferred = roleSettings(parts, room, role);
  if (preferred === null) return err(noEngine(whose));
  const fallback = fallbackSettings(parts, room, role);
  const all: TurnRunner[] = [];
  const failures: EngineFailure[] = [];
  for (const settings of fallback === null ? [preferred] : [preferred, fallback]) {
    for (const runner of runnersWith(whose, settings)) {
      if (runner.ok) all.push(runner.value);
      else failures.push(runner.failure);
    }
  }
  const [first] = failures;
  if (all.length === 0 && first !== undefined) return err(first);
  return ok({ all, passedOver: failures.map(describeFailure) });
}

function runnersWith(whose: Whose, settings: EngineSettings): Result<TurnRunner, EngineFailure>[] {
  const { parts, room, role } = whose;
  const runs = parts.engines.get(settings.engine);
  if (runs === undefined) return [err(unavailable(whose, settings))];
  const set = parts.accounts.of(settings.engine);
  const runner = { engine: settings.engine, runs, settings };
  if (set.length === 0) return [ok({ ...runner, account: null, opened: null })];
  const sealed = isSealed(runs, room.settings.sealedOwner, role);
  const sources = set.filter(
    (source) => source.serves === 'both' || source.serves === (sealed ? 'sealed' : 'host'),
  );
  if (sources.length === 0) return [err(noKeyForSealed(whose, settings))];
  return sources.map((source) => {
    const opened = open(source, settings);
    return opened.ok ? ok({ ...runner, account: source.name, opened: opened.value }) : opened;
  });
}

function open(source: AccountSource, { engine }: EngineSettings): Result<Account, EngineFailure> {
  const opened = source.open();
  if (opened.ok) return opened;
  return err({
    ...opened.failure,
    tag: 'login',
    forGood: true,
    message: `The engine ${engine} cannot use its account "${source.name}": ${opened.failure.message}`,
  });
}

function noEngine({ room, role }: Whose): EngineFailure {
  return {
    tag: 'misconfigured',
    forGood: true,
    message: `Room ${room.name} has no engine for the ${role}.`,
    next: chooseAnother(room, role),
  };
}

function unavailable({ room, role }: Whose, { engine }: EngineSettings): EngineFailure {
  return {
    tag: 'misconfigured',
    forGood: true,
    message: `The engine ${engine} for the ${role} of room ${room.name} is not available here.`,
    next: chooseAnother(room, role),
  };
}

function noKeyForSealed({ room, role }: Whose, { engine }: EngineSettings): EngineFailure {
  return {
    tag: 'login',
    forGood: true,
    message: `The ${role} of room ${room.name} works sealed, on ${engine}, and a person's own login never goes into a container: there is no account with a key.`,
    next: `Give ${engine} an account with a key in config.json (docs/configuration.md, "Accounts"), or choose an engine that needs no container: \`tribune rooms set ${room.name} --${role} anthropic:MODEL\`. Then try again.`,
  };
}

function chooseAnother(room: Room, role: Role): string {
  return `Choose another with \`tribune rooms set ${room.name} --${role} ENGINE:MODEL\`, then try again.`;
}
