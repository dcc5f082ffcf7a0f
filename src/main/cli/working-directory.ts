import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';

/** The script of package.json that is this command. */
const NPM_SCRIPT = 'tribune';

/**
 * Where relative paths on the command line start: where the person is. npm runs a script in the package's own
 * directory, and says in INIT_CWD where it was called
 * (https://docs.npmjs.com/cli/commands/npm-run#description).
 */
export function workingDirectory(
  environment: NodeJS.ProcessEnv,
  currentDirectory: () => string,
): Result<string> {
  const { npm_lifecycle_event: script, INIT_CWD: calledIn = '' } = environment;
  if (script === NPM_SCRIPT && calledIn !== '') return ok(calledIn);
  try {
    return ok(currentDirectory());
  } catch {
    return err({
      tag: 'no_directory',
      message: 'The current directory does not exist any more, or cannot be read.',
      next: 'Go to one that is there, such as with `cd ~`.',
    });
  }
}
