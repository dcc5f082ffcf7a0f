import { z } from 'zod';
import type { WritableFiles } from '../../../ports/workspace.ts';
import { outcomeOf, tool, type Tool } from './tool.ts';

/** Tools that change files: only made for an owner, whose files these are. */
export function writingTools(files: WritableFiles): readonly Tool[] {
  return [
    tool({
      name: 'write_file',
      description:
        'Writes a whole text file of the work, new or in place of what is there; folders are made as needed. To change part of a file, use edit_file.',
      input: z.strictObject({ path: z.string().min(1), text: z.string() }),
      changes: true,
      summary: ({ path }) => `write ${path}`,
      run: async ({ path, text }) =>
        outcomeOf(await files.write(path, text), () => ({ text: `${path} is written.`, summary: 'written' })),
    }),
    tool({
      name: 'edit_file',
      description:
        'Replaces one part of a text file of the work. `before` must occur in the file exactly once, character for character, without line numbers: take in as many lines around it as that needs.',
      input: z.strictObject({ path: z.string().min(1), before: z.string().min(1), after: z.string() }),
      changes: true,
      summary: ({ path }) => `edit ${path}`,
      run: async ({ path, before, after }) =>
        outcomeOf(await files.edit(path, before, after), () => ({
          text: `${path} is changed.`,
          summary: 'changed',
        })),
    }),
  ];
}
