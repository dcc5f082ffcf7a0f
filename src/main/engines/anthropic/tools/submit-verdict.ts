import { describeFailure } from '../../../../shared/kernel/result.ts';
import { SUBMIT_VERDICT } from '../../../../shared/vocabulary/words.ts';
import type { Role } from '../../../../shared/vocabulary/words.ts';
import { readVerdictCall, VERDICT_TOOL_DESCRIPTION, verdictInputs } from '../../verdict-calls.ts';
import { tool, type Tool } from './tool.ts';

/** Ends a turn. */
export function submitVerdictTool(role: Role, nonce: string): Tool {
  return tool<{ readonly verdict: string }>({
    name: SUBMIT_VERDICT,
    description: VERDICT_TOOL_DESCRIPTION,
    input: verdictInputs[role],
    changes: false,
    summary: ({ verdict }) => `submit ${verdict}`,
    run: (input, { desk }) => {
      const { checked, summary } = readVerdictCall(role, nonce, input);
      if (checked.ok && summary !== '') desk.report({ type: 'text', text: summary });
      return Promise.resolve(
        checked.ok
          ? { ok: true, text: 'The verdict is accepted.', summary: checked.value.verdict }
          : { ok: false, text: describeFailure(checked.failure), summary: checked.failure.message },
      );
    },
  });
}
