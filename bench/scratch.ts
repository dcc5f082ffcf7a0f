import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Scope } from './scope.ts';

/** Where a measurement works: a folder that is gone after it, and what else it has to let go of. */
export class Scratch {
  public readonly scope = new Scope('the measurement');
  readonly #root: string;

  public constructor() {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'tribune-bench-')));
    this.#root = root;
    this.scope.add('its folder', () => {
      rmSync(root, { recursive: true, force: true });
    });
  }

  /** A new folder in it. */
  public folder(name: string): string {
    const folder = join(this.#root, name);
    mkdirSync(folder);
    return folder;
  }
}
