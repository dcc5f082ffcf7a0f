import { z } from 'zod';
import { describeFailure } from '../../../shared/kernel/result.ts';
import { bounded } from '../../../shared/kernel/text.ts';
import { SUBMIT_VERDICT } from '../../../shared/vocabulary/words.ts';
import type { SealedCommands, SealedResult } from '../../ports/coding-cli.ts';
import type { TaskChanges, TurnDesk, TurnRequest } from '../../ports/engine.ts';
import type { GateTool } from '../../ports/turn-gate.ts';
import { shownOutput } from '../shown-output.ts';
import { DIFF_TOOL_DESCRIPTION, diffBetween, diffInput } from '../snapshot-diff.ts';
import { readVerdictCall, VERDICT_TOOL_DESCRIPTION, verdictInputs } from '../verdict-calls.ts';
import type { PermissionTool } from './dialect.ts';
import { limits } from './limits.ts';

const MS_PER_SECOND = 1_000;

/** Our tools for a turn. `onVerdict` is told of each call of `submit_verdict` that was accepted. */
export function toolsFor(
  request: TurnRequest,
  desk: TurnDesk,
  permissionTool: PermissionTool | null,
  onVerdict: (call: unknown) => void,
): readonly GateTool[] {
  const { role, changes, cli, permissions } = request;
  const commands = cli?.sealed === true && role !== 'owner' ? cli.commands : null;
  const asks = role === 'owner' && permissions === 'ask' ? permissionTool : null;
  return [
    ...(commands === null ? [] : [runTool(commands, request, desk)]),
    ...(changes === undefined ? [] : [diffTool(changes)]),
    ...(asks === null ? [] : [askTool(asks, desk)]),
    verdictTool(request, desk, onVerdict),
  ];
}

function verdictTool(
  { role, nonce }: TurnRequest,
  desk: TurnDesk,
  onVerdict: (call: unknown) => void,
): GateTool {
  return {
    name: SUBMIT_VERDICT,
    description: VERDICT_TOOL_DESCRIPTION,
    input: verdictInputs[role],
    readOnly: true,
    call(input) {
      const { checked, summary } = readVerdictCall(role, nonce, input);
      if (!checked.ok) return Promise.resolve({ ok: false, text: describeFailure(checked.failure) });
      onVerdict(input);
      if (summary !== '') desk.report({ type: 'text', text: summary });
      return Promise.resolve({ ok: true, text: 'The verdict is accepted.' });
    },
  };
}

function diffTool(changes: TaskChanges): GateTool {
  return {
    name: 'diff',
    description: DIFF_TOOL_DESCRIPTION,
    input: diffInput,
    readOnly: true,
    async call(input) {
      const { ok, text } = await diffBetween(changes, diffInput.parse(input));
      return { ok, text: bounded(text, limits.toolOutput) };
    },
  };
}

const runInput = z.strictObject({
  command: z.string().min(1).describe('A shell command line (POSIX sh).'),
  timeout_seconds: z
    .number()
    .positive()
    .max(limits.longestCommandMs / MS_PER_SECOND)
    .optional(),
});

/** It changes nothing that anybody else sees: the copy is the turn's own. */
function runTool(commands: SealedCommands, { turnId }: TurnRequest, desk: TurnDesk): GateTool {
  let runs = 0;
  return {
    name: 'run',
    description:
      `Runs a shell command line in the root of a copy of the work that is yours to write in, such as its tests, without a network. ` +
      `It is ended after ${limits.commandMs / MS_PER_SECOND} seconds unless you give it longer.`,
    input: runInput,
    readOnly: true,
    async call(input, signal) {
      const { command, timeout_seconds: seconds } = runInput.parse(input);
      const timeoutMs = seconds === undefined ? limits.commandMs : seconds * MS_PER_SECOND;
      runs += 1;
      const onData = shownOutput(desk, `${turnId}:run-${runs}`, limits.shownOutputCharacters);
      const ran = await commands.run({ command, timeoutMs, maxBytes: limits.toolOutput, onData }, signal);
      return ran.ok ? outcomeOf(ran.value, timeoutMs) : { ok: false, text: describeFailure(ran.failure) };
    },
  };
}

function outcomeOf({ exitCode, output, timedOut }: SealedResult, timeoutMs: number) {
  const how = timedOut
    ? `ended by us after ${timeoutMs / MS_PER_SECOND} seconds, with all that it had started`
    : exitCode === null
      ? 'ended by a signal'
      : `exit code ${exitCode}`;
  return { ok: exitCode === 0 && !timedOut, text: `${how}\n${output.trimEnd()}` };
}

/** The program asks in its own form; a person answers. */
function askTool(permission: PermissionTool, desk: TurnDesk): GateTool {
  return {
    name: permission.name,
    description: 'Asks a person whether a tool may be used.',
    input: permission.input,
    readOnly: true,
    async call(input, signal) {
      const answer = await desk.askPermission(permission.wish(input), signal);
      return { ok: true, text: permission.answer(input, answer) };
    },
  };
}
