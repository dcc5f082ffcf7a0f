import { stripVTControlCharacters } from 'node:util';

/**
 * Terminal output as a reader sees it at the end: no control sequences, one kind of line end, and of a line
 * that was overwritten (a progress bar) only what was written last.
 */
export function plainText(output: string): string {
  return stripVTControlCharacters(output)
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map(lastWriting)
    .join('\n')
    .replace(/\p{Cc}/gu, (control) => (control === '\n' || control === '\t' ? control : ''));
}

function lastWriting(line: string): string {
  const written = line.endsWith('\r') ? line.slice(0, -1) : line;
  return written.slice(written.lastIndexOf('\r') + 1);
}
