import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

/** Builds what ships, where it is older than its sources, before any test runs the built files. */
export default function setup(): void {
  const root = resolve(import.meta.dirname, '..', '..');
  execFileSync(process.execPath, [join(root, 'scripts', 'ensure-built.ts')], { stdio: 'inherit' });
}
