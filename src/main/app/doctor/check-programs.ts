import type { CheckView } from '../../../shared/contract/views.ts';
import { findProgram } from '../../engines/command/find-program.ts';
import type { LoginPath } from '../../terminals/login-path.ts';
import type { Config } from '../config/schema.ts';
import { codingAgents } from '../engines.ts';

/** Where programs are looked for on this host, and where those of coding agents were found. */
export async function checkPrograms(config: Config, loginPath: LoginPath): Promise<CheckView[]> {
  const { found, says } = await loginPath.report();
  const path = await loginPath.path();
  const checks: CheckView[] = [{ name: 'login PATH', ok: found, required: false, says }];
  for (const { engine, program } of codingAgents) {
    const wanted = config.engines[engine].program ?? program;
    const place = await findProgram(wanted, path);
    checks.push({
      name: program,
      ok: place !== null,
      required: false,
      says: place ?? `${wanted} was not found`,
    });
  }
  return checks;
}
