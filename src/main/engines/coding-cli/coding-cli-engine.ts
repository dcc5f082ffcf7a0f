import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { err } from '../../../shared/kernel/result.ts';
import type { HostPlaces } from '../../ports/coding-cli.ts';
import type { Account, Engine } from '../../ports/engine.ts';
import type { TurnGates, Upstream } from '../../ports/turn-gate.ts';
import { checkProgram } from './check.ts';
import type { CliDialect } from './dialect.ts';
import { needsAKey, notSealed } from './faults.ts';
import { CliTurn } from './turn.ts';

/** What turns of a coding agent need of the host. */
export interface CodingCliOptions {
  readonly clock: Clock;
  readonly gates: TurnGates;
  /** For `check`, which asks the program on the host. */
  readonly hostPlaces: HostPlaces;
  /** The program on the host, where it is not the one on the PATH. */
  readonly program?: string;
  readonly newUuid?: () => string;
}

/** Turns through the program of a coding agent. Its sessions go on over the turns of a task. */
export function createCodingCliEngine(dialect: CliDialect, options: CodingCliOptions): Engine {
  const { clock, gates, hostPlaces, program = dialect.program, newUuid = randomUUID } = options;
  return {
    name: dialect.engine,
    resumes: true,
    runsCli: true,
    check: (_settings, needsLogin = false) =>
      checkProgram(dialect, program, hostPlaces, homedir(), needsLogin),
    async run(request, desk, signal) {
      const { cli, role, account } = request;
      if (cli === null || (role !== 'owner' && !cli.sealed)) return err(notSealed(dialect.title, role));
      const upstream = upstreamOf(account, dialect);
      if (upstream === null && cli.sealed) return err(needsAKey(dialect.title));
      return new CliTurn({
        dialect,
        clock,
        gates,
        newUuid,
        program: cli.sealed ? dialect.program : program,
        request,
        desk,
        cli,
        upstream,
        signal,
      }).run();
    },
  };
}

/** Null where the program uses the person's own login. */
function upstreamOf(account: Account | null, { api, defaultBaseUrl }: CliDialect): Upstream | null {
  if (account === null || account.access === null) return null;
  return { api, baseUrl: account.baseUrl ?? defaultBaseUrl, ...account.access };
}
