import { z } from 'zod';
import { outcomeOf, tool } from './tool.ts';

const anyPath = z
  .string()
  .describe('A path relative to the root of the work, with "/" between names. "" is the root.');

export const listFiles = tool({
  name: 'list_files',
  description: 'Lists what is in a folder of the work: one path a line, folders with "/" at the end.',
  input: z.strictObject({ path: anyPath.default('') }),
  changes: false,
  summary: ({ path }) => `list ${path || '.'}`,
  run: async ({ path }, { request }) =>
    outcomeOf(await request.place.files.list(path), (entries) => ({
      text: entries
        .map((entry) => `${entry.path}${{ file: '', directory: '/', symlink: ' (symlink)' }[entry.kind]}`)
        .join('\n'),
      summary: `${entries.length} entries`,
    })),
});

export const readFile = tool({
  name: 'read_file',
  description:
    'Reads a text file of the work, whole or some of its lines. Lines are counted from 1; each comes after its number and a tab. For a large file, ask for the lines that you need.',
  input: z.strictObject({
    path: anyPath,
    from: z.int().min(1).optional().describe('The first line.'),
    to: z.int().min(1).optional().describe('The last line.'),
  }),
  changes: false,
  summary: ({ path, from, to }) =>
    from === undefined && to === undefined
      ? `read ${path}`
      : `read ${path}, lines ${from ?? 1} to ${to ?? 'the end'}`,
  run: async ({ path, from, to }, { request }) => {
    const first = from ?? 1;
    const range =
      from === undefined && to === undefined ? undefined : { from: first, to: to ?? Number.MAX_SAFE_INTEGER };
    return outcomeOf(await request.place.files.read(path, range), (file) => ({
      text: `${numbered(file.text, first)}${file.truncated ? `\n[cut to the size limit; the file has ${file.totalLines} lines: ask for some of them]` : ''}`,
      summary: `${file.totalLines} lines`,
    }));
  },
});

function numbered(text: string, first: number): string {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return text === '' ? '(empty)' : lines.map((line, index) => `${first + index}\t${line}`).join('\n');
}

export const searchFiles = tool({
  name: 'search_files',
  description: 'Finds lines that match a regular expression, in all text files below a folder of the work.',
  input: z.strictObject({
    pattern: z.string().min(1).describe('A regular expression, as in JavaScript.'),
    path: anyPath.default(''),
  }),
  changes: false,
  summary: ({ pattern, path }) => `search ${path || '.'} for /${pattern}/`,
  run: async ({ pattern, path }, { request }) =>
    outcomeOf(await request.place.files.search(pattern, path), ({ matches, truncated }) => ({
      text: [
        ...matches.map((match) => `${match.path}:${match.line}: ${match.text}`),
        ...(truncated ? ['[there are more: narrow the pattern or the path]'] : []),
        ...(matches.length === 0 ? ['(no line matches)'] : []),
      ].join('\n'),
      summary: `${matches.length}${truncated ? ' or more' : ''} matches`,
    })),
});
