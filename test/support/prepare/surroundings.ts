import { execFileSync } from 'node:child_process';

/** What the machine fetches things through, as its own tools are set up. */
export interface Surroundings {
  /** An npm registry. */
  readonly registry: string;
  /** A file with certificates that are trusted besides the usual ones; null for none. */
  readonly certificates: string | null;
}

export function readSurroundings(environment: NodeJS.ProcessEnv): Surroundings {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const file = environment['NODE_EXTRA_CA_CERTS'] ?? environment['SSL_CERT_FILE'] ?? '';
  return { registry, certificates: file === '' ? null : file };
}
