import { join } from 'node:path';
import { describeWhereThere, prepared } from './prepare/prepared.ts';

/** The real programs of the coding agents, installed for this machine at the versions of the reviewer image. */
export interface CodingClis {
  /** The folder that both are in, for a PATH. */
  readonly folder: string;
  /** Paths of the programs. */
  readonly claude: string;
  readonly codex: string;
}

const folder = await prepared('coding-clis.ts');

/**
 * Groups tests that need the coding agents; they are installed at first need and kept from run to run. Where they
 * cannot be had the tests are skipped, loudly; in CI they fail.
 */
export function describeWithCodingClis(name: string, tests: (clis: CodingClis) => void): void {
  describeWhereThere(name, 'Claude Code and Codex', folder, (value) => {
    tests({ folder: value, claude: join(value, 'claude'), codex: join(value, 'codex') });
  });
}
