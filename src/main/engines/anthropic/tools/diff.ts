import { z } from 'zod';
import type { TaskChanges } from '../../../ports/engine.ts';
import { outcomeOf, tool, type Tool } from './tool.ts';

/** What changed between two of the task's snapshots. Made for a turn, since it names the snapshots that there are. */
export function diffTool(changes: TaskChanges): Tool {
  const names = changes.points.map(({ name }) => name);
  const oldest = names[0] ?? '';
  const newest = names.at(-1) ?? '';
  return tool({
    name: 'diff',
    description:
      "Shows what changed between two snapshots of this task as a unified diff: by default from the oldest to the newest. For a large change, ask for one file or folder at a time. Names other than the snapshots' are answered with a list of them.",
    input: z.strictObject({
      from: z.string().optional().describe('The snapshot to compare from; by default the oldest.'),
      to: z.string().optional().describe('The snapshot to compare to; by default the newest.'),
      path: z.string().optional().describe('Only this file or folder.'),
    }),
    changes: false,
    summary: ({ from = oldest, to = newest, path }) =>
      `diff ${from}..${to}${path === undefined ? '' : ` of ${path}`}`,
    run: async ({ from = oldest, to = newest, path }) => {
      const unknown = [from, to].find((name) => !names.includes(name));
      if (unknown !== undefined) {
        const list = changes.points.map(({ name, description }) => `${name}: ${description}`).join('\n');
        return {
          ok: false,
          text: `There is no snapshot "${unknown}". There are:\n${list}`,
          summary: `no snapshot "${unknown}"`,
        };
      }
      return outcomeOf(await changes.diff(from, to, path), (text) => ({
        text: text === '' ? '(no difference)' : text,
        summary: text === '' ? 'no difference' : `${text.split('\n').length} lines`,
      }));
    },
  });
}
