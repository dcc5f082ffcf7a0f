import { stat } from 'node:fs/promises';
import type { TerminalFailure } from '../ports/terminal.ts';

/**
 * The failure of a directory that can't be worked in; null for one that can. Asked first, because a spawn in a
 * missing directory fails as if the program were missing.
 */
export async function missingDirectory(directory: string): Promise<TerminalFailure | null> {
  try {
    if ((await stat(directory)).isDirectory()) return null;
  } catch {
    // Missing and unreachable are the same to who wants to work there.
  }
  return {
    tag: 'directory_missing',
    message: `"${directory}" is not a directory that can be entered.`,
    next: 'Create it, or choose another one.',
  };
}
