import { err, ok, type Result } from '../../../shared/kernel/result.ts';
import type { CliPlace } from '../../ports/coding-cli.ts';
import type { EngineFailure, TurnRequest } from '../../ports/engine.ts';
import type { GateTool, OpenGate } from '../../ports/turn-gate.ts';
import type { CliCommand, CliDialect, CliStart } from './dialect.ts';
import { failureOfPlace } from './faults.ts';

/** What every launch of a turn has in common. */
export interface LaunchGround {
  readonly request: TurnRequest;
  readonly cli: CliPlace;
  readonly gate: OpenGate;
  readonly tools: readonly GateTool[];
  /** Whether models are reached past the gate, by the person's own login. */
  readonly byOwnLogin: boolean;
}

/** What a launch in this session, with this first input, depends on. */
export function startOf(
  { request, cli, gate, tools, byOwnLogin }: LaunchGround,
  session: CliStart['session'],
  input: CliStart['input'],
): CliStart {
  const { role, settings, permissions, system, account } = request;
  return {
    role,
    sealed: cli.sealed,
    directory: cli.directory,
    home: cli.home,
    model: settings.model,
    permissions,
    system,
    input,
    session,
    gate: { address: cli.addressOf(gate), token: gate.token },
    models: byOwnLogin ? { through: 'login', baseUrl: account?.baseUrl ?? null } : { through: 'gate' },
    tools: tools.map(({ name }) => name),
  };
}

/** Lays down the files of a launch, and gives the command that is told where they lie. */
export async function prepare(
  dialect: CliDialect,
  cli: CliPlace,
  start: CliStart,
): Promise<Result<CliCommand, EngineFailure>> {
  const paths: Record<string, string> = {};
  for (const [name, content] of Object.entries(dialect.files(start))) {
    const laid = await cli.layDown(name, content);
    if (!laid.ok) return err(failureOfPlace(laid.failure, dialect.install));
    paths[name] = laid.value;
  }
  return ok(dialect.command(start, paths));
}
