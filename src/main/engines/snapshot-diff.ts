import { z } from 'zod';
import { describeFailure } from '../../shared/kernel/result.ts';
import type { TaskChanges } from '../ports/engine.ts';

/** What agents are told of the tool. */
export const DIFF_TOOL_DESCRIPTION =
  "Shows what changed between two snapshots of this task as a unified diff: by default from the oldest to the newest. For a large change, ask for one file or folder at a time. Names other than the snapshots' are answered with a list of them.";

/** What the tool that compares snapshots takes. */
export const diffInput = z.strictObject({
  from: z.string().optional().describe('The snapshot to compare from; by default the oldest.'),
  to: z.string().optional().describe('The snapshot to compare to; by default the newest.'),
  path: z.string().optional().describe('Only this file or folder.'),
});
type DiffInput = z.infer<typeof diffInput>;

/** One line that says what a comparison is of. */
export function diffTitle({ points }: TaskChanges, { from, to, path }: DiffInput): string {
  const ends = `${from ?? points[0]?.name ?? ''}..${to ?? points.at(-1)?.name ?? ''}`;
  return `diff ${ends}${path === undefined ? '' : ` of ${path}`}`;
}

/** What changed between two of the task's snapshots, for a model, and in one line for people. */
export async function diffBetween(
  changes: TaskChanges,
  { from, to, path }: DiffInput,
): Promise<{ readonly ok: boolean; readonly text: string; readonly summary: string }> {
  const names = changes.points.map(({ name }) => name);
  const ends = { from: from ?? names[0] ?? '', to: to ?? names.at(-1) ?? '' };
  const unknown = [ends.from, ends.to].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const list = changes.points.map(({ name, description }) => `${name}: ${description}`).join('\n');
    const text = `There is no snapshot "${unknown}". There are:\n${list}`;
    return { ok: false, text, summary: `no snapshot "${unknown}"` };
  }
  const compared = await changes.diff(ends.from, ends.to, path);
  if (!compared.ok) {
    return { ok: false, text: describeFailure(compared.failure), summary: compared.failure.message };
  }
  const { value: text } = compared;
  return text === ''
    ? { ok: true, text: '(no difference)', summary: 'no difference' }
    : { ok: true, text, summary: `${text.split('\n').length} lines` };
}
