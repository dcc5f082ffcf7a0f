/**
 * The code of what the operating system refused, such as `EACCES` (see errno(3)); null for anything else that was
 * thrown, which is a bug.
 */
export function systemErrorCode(thrown: unknown): string | null {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
  // Codes of Node's own, such as ERR_INVALID_ARG_TYPE, tell of a wrong call.
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

/** What the work gives, or null where the file it looks for is not there. Any other error is thrown on. */
export async function ifThere<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw thrown;
  }
}
