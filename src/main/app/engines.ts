import type { Clock } from '../../shared/kernel/clock.ts';
import type { EngineName } from '../../shared/vocabulary/words.ts';
import { createAnthropicEngine } from '../engines/anthropic/anthropic-engine.ts';
import { claudeCodeDialect } from '../engines/claude-code/dialect.ts';
import { codexDialect } from '../engines/codex/dialect.ts';
import { createCodingCliEngine } from '../engines/coding-cli/coding-cli-engine.ts';
import type { CliDialect } from '../engines/coding-cli/dialect.ts';
import { createCommandEngine } from '../engines/command/command-engine.ts';
import type { HostPlaces } from '../ports/coding-cli.ts';
import type { Engine } from '../ports/engine.ts';
import type { Terminals } from '../ports/terminal.ts';
import type { TurnGates } from '../ports/turn-gate.ts';
import type { Config } from './config/schema.ts';

/** The coding agents whose programs can be given a role. */
export const codingAgents: readonly CliDialect[] = [claudeCodeDialect, codexDialect];

/** What engines carry turns out with. */
export interface EnginesParts {
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
  readonly terminals: Terminals;
  readonly gates: TurnGates;
  readonly hostPlaces: HostPlaces;
}

/** Every engine, by the name that the settings of roles have for it. */
export function createEngines(
  { clock, environment, terminals, gates, hostPlaces }: EnginesParts,
  { engines }: Pick<Config, 'engines'>,
): ReadonlyMap<EngineName, Engine> {
  const all = [
    createAnthropicEngine({ clock, terminals }),
    createCommandEngine({ terminals, path: environment['PATH'] ?? '' }),
    ...codingAgents.map((dialect) => {
      const { program } = engines[dialect.engine];
      const named = program === null ? {} : { program };
      return createCodingCliEngine(dialect, { clock, gates, hostPlaces, ...named });
    }),
  ];
  return new Map(all.map((engine) => [engine.name, engine]));
}
