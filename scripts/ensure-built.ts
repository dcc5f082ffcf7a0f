/** Builds the host and the command line where a source is newer than what was built from it; says nothing unless that fails. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const sources = [
  ...['electron.vite.config.ts', 'package.json'].map((name) => join(root, name)),
  ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(root, 'src', name),
  ),
];
const built = statSync(join(root, 'out', 'main', 'tribune.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (sources.some((path) => statSync(path).mtimeMs > built)) {
  // Built beside and moved into place, so that who runs the old build meanwhile never finds half of one.
  const beside = join(root, 'out', `building-${process.pid}`);
  const builder = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [builder, 'build', '--outDir', beside], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status === 0) {
    const before = join(root, 'out', `before-${process.pid}`);
    if (existsSync(join(root, 'out', 'main'))) renameSync(join(root, 'out', 'main'), before);
    renameSync(join(beside, 'main'), join(root, 'out', 'main'));
    rmSync(before, { recursive: true, force: true });
  } else {
    process.stderr.write(`Tribune could not be built from its sources:\n${stdout}${stderr}`);
    process.exitCode = 1;
  }
  rmSync(beside, { recursive: true, force: true });
}
