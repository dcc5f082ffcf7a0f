import { messageOf } from '../../shared/kernel/result.ts';
import { systemErrorCode } from '../../shared/kernel/system-error.ts';
import type { CliFailure } from '../ports/coding-cli.ts';

/**
 * What a call to the container engine failed with, as a failure: an engine that does not answer, a full disk, or
 * what the engine itself says. `doing` is what was being done, such as `The image could not be built`.
 */
export function dockerFailure(thrown: unknown, doing: string): CliFailure {
  const said = messageOf(thrown).trim();
  if (/no space left on device|ENOSPC/i.test(said)) {
    return {
      tag: 'no_space',
      message: `${doing}: the container engine has no space left on its disk.`,
      next: 'Make room, for example with `docker system prune`, and try again.',
    };
  }
  if (isConnectionError(thrown)) {
    return {
      tag: 'no_engine',
      message: `${doing}: the container engine does not answer (${said}).`,
      next: 'Start Docker or Podman, or name another engine with DOCKER_HOST, and try again.',
    };
  }
  return {
    tag: 'start_failed',
    message: `${doing}: ${said}`,
    next: 'Look at what the engine says, and try again.',
  };
}

/** Errors of connecting and of a connection that was cut off; `socket hang up` is Node's word for the latter. */
function isConnectionError(thrown: unknown): boolean {
  return systemErrorCode(thrown) !== null || /socket hang up/.test(messageOf(thrown));
}
