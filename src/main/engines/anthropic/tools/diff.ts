import type { TaskChanges } from '../../../ports/engine.ts';
import { DIFF_TOOL_DESCRIPTION, diffBetween, diffInput, diffTitle } from '../../snapshot-diff.ts';
import { tool, type Tool } from './tool.ts';

/** What changed between two of the task's snapshots. Made for a turn, since it names the snapshots that there are. */
export function diffTool(changes: TaskChanges): Tool {
  return tool({
    name: 'diff',
    description: DIFF_TOOL_DESCRIPTION,
    input: diffInput,
    changes: false,
    summary: (input) => diffTitle(changes, input),
    run: (input) => diffBetween(changes, input),
  });
}
