import type Docker from 'dockerode';
import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { CliFailure } from '../ports/coding-cli.ts';
import type { ProbeFindings } from '../ports/seals.ts';
import { outputOfExec } from './exec.ts';
import type { InsideUser } from './users.ts';

type Attempts = ProbeFindings['attempts'];

/** The last attempt of each role: without it, the probe was cut off. */
const LAST = { agent: "write to the commands' copy", tester: 'start 300 processes' } as const;

/**
 * Lets one of the container's users try what must not be possible there, with `resources/reviewer/probe.bash`. Throws
 * what the engine answers.
 */
export async function probe(
  container: Docker.Container,
  role: 'agent' | 'tester',
  user: InsideUser,
  script: string,
  writable: readonly string[],
): Promise<Result<Attempts, CliFailure>> {
  const output = await outputOfExec(container, user, ['bash', '-c', script, 'probe', role, ...writable]);
  const attempts = attemptsIn(output);
  if (attempts.some(({ name }) => name === `${role}: ${LAST[role]}`)) return ok(attempts);
  return err({
    tag: 'start_failed',
    message: `The container's seal could not be tried as its user ${role}: ${output.trim().slice(-300)}`,
    next: 'Build the image anew with `tribune image build`.',
  });
}

/** What the probe has printed; lines that are not its own are not attempts. */
export function attemptsIn(output: string): Attempts {
  return output
    .split('\n')
    .map((line) => line.split('\t'))
    .flatMap(([name, outcome, detail]) =>
      name !== undefined && detail !== undefined && (outcome === 'held' || outcome === 'broken')
        ? [{ name, held: outcome === 'held', detail: detail.trim() }]
        : [],
    );
}
