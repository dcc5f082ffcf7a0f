import type { CheckView } from '../../shared/contract/views.ts';
import { findProgram } from '../engines/command/find-program.ts';
import type { LoginPath } from '../terminals/login-path.ts';
import type { Config } from './config/schema.ts';

/** The coding agents' programs, as their engines look for them. */
const programs = [
  { engine: 'claude-code', name: 'claude' },
  { engine: 'codex', name: 'codex' },
] as const;

/** Where programs are looked for on this host, and where those of coding agents were found. */
export async function checkPrograms(config: Config, loginPath: LoginPath): Promise<CheckView[]> {
  const { found, says } = await loginPath.report();
  const path = await loginPath.path();
  const checks: CheckView[] = [{ name: 'login PATH', ok: found, required: false, says }];
  for (const { engine, name } of programs) {
    const program = config.engines[engine].program ?? name;
    const place = await findProgram(program, path);
    checks.push({ name, ok: place !== null, required: false, says: place ?? `${program} was not found` });
  }
  return checks;
}
