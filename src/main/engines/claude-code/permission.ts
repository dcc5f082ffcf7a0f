import { z } from 'zod';
import type { PermissionTool } from '../coding-cli/dialect.ts';

/**
 * How Claude Code asks through a tool of ours (`--permission-prompt-tool`): it gives the tool and its input, and takes
 * a JSON text that allows it with this input, or denies it with a reason.
 */
const input = z.object({
  tool_name: z.string(),
  input: z.record(z.string(), z.unknown()),
  tool_use_id: z.string().optional(),
});

/** Its question, in the form of `--permission-prompt-tool`. */
export const permissionTool: PermissionTool = {
  name: 'ask_permission',
  input,
  wish(asked) {
    const { tool_name: tool, input: wished } = input.parse(asked);
    return { tool, description: descriptionOf(wished) };
  },
  answer(asked, answer) {
    return JSON.stringify(
      answer.allowed
        ? { behavior: 'allow', updatedInput: input.parse(asked).input }
        : { behavior: 'deny', message: answer.reason },
    );
  },
};

/** A person has to see all that the tool would be given: one line for each part, or the text itself. */
function descriptionOf(wished: Readonly<Record<string, unknown>>): string {
  return Object.entries(wished)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
    })
    .join('\n');
}
