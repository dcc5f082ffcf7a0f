import type { Failure } from '../../shared/kernel/result.ts';

/**
 * What failed, where something thrown carries a failure for the person (as the store does of a full disk); null
 * for a bug, whose stack is what is needed then.
 */
export function failureIn(thrown: unknown): Failure | null {
  if (!(thrown instanceof Error) || !('failure' in thrown)) return null;
  const { failure } = thrown;
  return isFailure(failure) ? failure : null;
}

function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'tag' in value && 'message' in value;
}
