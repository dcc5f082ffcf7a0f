import type { z } from 'zod';

/** Each thing that is wrong with a value, with where in it: as part of a sentence, without its full stop. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
}
