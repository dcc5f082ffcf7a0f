import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { FilesFailure, FileText } from '../../ports/workspace.ts';

/** The largest file that is read, searched or edited as text. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Characters that one reading gives; an agent asks for a range of lines to see more. */
const MAX_TEXT_CHARACTERS = 256 * 1024;

/** Git's own rule: a NUL among the first bytes makes a file binary. */
const BINARY_PROBE_BYTES = 8_000;

/** The text of a file, or the lines of it that were asked for, counted from 1. */
export function textOf(
  path: string,
  bytes: Buffer,
  range: { readonly from: number; readonly to: number } | undefined,
): Result<FileText, FilesFailure> {
  if (isBinary(bytes)) return err(binaryFile(path));
  const whole = bytes.toString('utf8');
  const lines = whole.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const text = range === undefined ? whole : lines.slice(Math.max(0, range.from - 1), range.to).join('\n');
  return ok({
    text: text.slice(0, MAX_TEXT_CHARACTERS),
    totalLines: lines.length,
    truncated: text.length > MAX_TEXT_CHARACTERS,
  });
}

export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

export function binaryFile(path: string): FilesFailure {
  return {
    tag: 'not_text',
    message: `"${path}" is not a text file.`,
    next: 'Use a command that knows its format.',
  };
}

export function tooLargeFile(path: string, bytes: number): FilesFailure {
  return {
    tag: 'not_text',
    message: `"${path}" has ${bytes} bytes, more than the ${MAX_FILE_BYTES} that are read as text.`,
    next: 'Search in it, or use a command that reads a part of it.',
  };
}
