import { z } from 'zod';
import { describeFailure } from '../../../../shared/kernel/result.ts';
import type { TerminalResult } from '../../../ports/terminal.ts';
import { limits } from '../limits.ts';
import { shownOutput } from '../../shown-output.ts';
import { tool, type Tool, type ToolOutcome } from './tool.ts';

const MS_PER_SECOND = 1_000;

/** Runs commands in the owner's directory: only made for an owner. */
export function runCommandTool(directory: string): Tool {
  return tool({
    name: 'run_command',
    description:
      `Runs a shell command line (POSIX sh) in the root of the work, on a terminal where nobody types, and gives its exit code and output. ` +
      `It is ended after ${limits.commandMs / MS_PER_SECOND} seconds unless you give it longer, and what it starts in the background ends with it.`,
    input: z.strictObject({
      command: z.string().min(1),
      timeout_seconds: z
        .number()
        .positive()
        .max(limits.longestCommandMs / MS_PER_SECOND)
        .optional(),
    }),
    changes: true,
    boundsItself: true,
    summary: ({ command }) => `$ ${command}`,
    run: async ({ command, timeout_seconds: seconds }, context, callId) => {
      const timeoutMs = seconds === undefined ? limits.commandMs : seconds * MS_PER_SECOND;
      const ended = await context.terminals.run(
        {
          command,
          directory,
          timeoutMs,
          maxBytes: limits.toolOutputCharacters,
          onData: shownOutput(context.desk, callId, limits.shownOutputCharacters),
        },
        context.signal,
      );
      return ended.ok
        ? outcomeOfCommand(ended.value, timeoutMs)
        : { ok: false, text: describeFailure(ended.failure), summary: ended.failure.message };
    },
  });
}

function outcomeOfCommand(result: TerminalResult, timeoutMs: number): ToolOutcome {
  const seconds = timeoutMs / MS_PER_SECOND;
  const how = result.timedOut
    ? `ended by us after ${seconds} seconds, with all that it had started`
    : result.exitCode === null
      ? 'ended by a signal'
      : `exit code ${result.exitCode}`;
  return {
    ok: result.exitCode === 0,
    text: `${how}\n${result.output.trimEnd()}`,
    summary: result.timedOut ? `timed out after ${seconds} s` : how,
  };
}
