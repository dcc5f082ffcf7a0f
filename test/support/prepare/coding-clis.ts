/**
 * Installs the coding agents of the reviewer image for this machine, at the same versions, where they are not
 * there yet, and prints the folder of their programs; else says why and exits with 1.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cacheFolder, oneAtATime } from './one-at-a-time.ts';

const pinned = resolve(import.meta.dirname, '../../../resources/reviewer');
const lock = readFileSync(join(pinned, 'package-lock.json'));
const version = createHash('sha256').update(lock).digest('hex').slice(0, 12);
const installed = join(cacheFolder, `coding-clis-${version}`);

if (!existsSync(installed)) {
  await oneAtATime('coding-clis', () => {
    if (!existsSync(installed)) install();
  });
}
console.log(join(installed, 'node_modules', '.bin'));

/** Installed beside and moved into place, so that nobody finds half of it. */
function install(): void {
  const beside = `${installed}-new`;
  rmSync(beside, { recursive: true, force: true });
  mkdirSync(beside, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(pinned, name), join(beside, name));
  // Claude Code's install script puts the program of this machine in place.
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--foreground-scripts'], {
    cwd: beside,
    stdio: ['ignore', 2, 2],
  });
  renameSync(beside, installed);
}
