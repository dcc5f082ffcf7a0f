import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, it } from 'vitest';

const run = promisify(execFile);

/** Longer than any preparation takes. */
const TIMEOUT_MS = 20 * 60_000;

/** What a preparation printed, or why it came to nothing. */
export type Prepared =
  { readonly there: true; readonly value: string } | { readonly there: false; readonly why: string };

/** Runs a program of this folder, in a process of its own: it may have to wait for the same one of another test file. */
export async function prepared(program: string): Promise<Prepared> {
  try {
    const { stdout } = await run(process.execPath, [join(import.meta.dirname, program)], {
      timeout: TIMEOUT_MS,
    });
    return { there: true, value: stdout.trim() };
  } catch (thrown) {
    const said = thrown instanceof Error && 'stderr' in thrown ? String(thrown.stderr) : '';
    return { there: false, why: said.trim() === '' ? String(thrown) : said.trim() };
  }
}

/**
 * Groups tests that need something outside of the checkout. Where that cannot be had they are skipped, loudly; in CI
 * they fail.
 */
export function describeWhereThere(
  name: string,
  needed: string,
  what: Prepared,
  tests: (value: string) => void,
): void {
  if (what.there) {
    describe(name, () => {
      tests(what.value);
    });
    return;
  }
  const problem = `${needed} cannot be had here, so "${name}" cannot be tested:\n${what.why}`;
  if (process.env['CI'] === 'true') throw new Error(problem);
  console.error(`\nSKIPPED: ${problem}\n`);
  describe.skip(name, () => {
    it.todo(`needs what cannot be had here: ${needed}`);
  });
}
