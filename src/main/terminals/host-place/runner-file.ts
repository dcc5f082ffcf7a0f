import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How a turn runner is started: a program, and its arguments before the channel's address. */
export interface RunnerCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * The runner on the Node.js that runs the host. Where the host runs within Electron, whose binary cannot be Node.js
 * (it is built without that switch), the desktop shell has to name a Node.js of its own here.
 */
export function runnerOnThisNode(): RunnerCommand {
  return { program: process.execPath, args: [findRunner(import.meta.url)] };
}

/** The built runner: beside the built host, or where the checkout is built to. */
function findRunner(from: string): string {
  for (let folder = dirname(fileURLToPath(from)); ; folder = dirname(folder)) {
    const places = [join(folder, 'turn-runner.js'), join(folder, 'out', 'main', 'turn-runner.js')];
    const found = places.find((place) => existsSync(place));
    if (found !== undefined) return found;
    if (dirname(folder) === folder) {
      throw new Error(`The turn runner is missing from this installation (looked from ${from} upwards).`);
    }
  }
}
