import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import { bounded, firstLine } from '../../../../shared/kernel/text.ts';
import type { TurnRequest } from '../../../ports/engine.ts';
import type { ToolCall, ToolResult } from '../conversation.ts';
import { limits } from '../limits.ts';
import { diffTool } from './diff.ts';
import { listFiles, readFile, searchFiles } from './reading.ts';
import { runCommandTool } from './run-command.ts';
import { submitVerdictTool } from './submit-verdict.ts';
import type { PreparedCall, Tool, ToolContext, ToolOutcome } from './tool.ts';
import { writingTools } from './writing.ts';

/** The tools of a turn. Only an owner's can change anything or start a process: the others have no such tool at all. */
export function toolsFor(request: TurnRequest): readonly Tool[] {
  const { role, nonce, place, changes } = request;
  const owns = role === 'owner' && place.kind === 'directory';
  return [
    listFiles,
    readFile,
    searchFiles,
    ...(changes === undefined ? [] : [diffTool(changes)]),
    ...(owns ? [...writingTools(place.files), runCommandTool(place.directory)] : []),
    submitVerdictTool(role, nonce),
  ];
}

export function definitionsOf(tools: readonly Tool[]): readonly Anthropic.Tool[] {
  return tools.map(({ name, description, input }) => {
    // The dialect is JSON Schema 2020-12, as the API has it.
    const { $schema, ...schema } = z.toJSONSchema(input, { io: 'input' });
    if (schema.type !== 'object') throw new Error(`The input of ${name} is no object (${$schema ?? ''}).`);
    return { name, description, input_schema: { ...schema, type: 'object' } };
  });
}

/** Carries out one call of the model. Whatever is wrong with the call is told to the model, with what to do. */
export async function carryOut(
  call: ToolCall,
  tools: readonly Tool[],
  context: ToolContext,
): Promise<ToolResult> {
  const result = (ok: boolean, text: string): ToolResult => ({
    id: call.id,
    ok,
    text: bounded(text, limits.toolOutputCharacters),
  });
  const { desk } = context;
  const about = { id: call.id, tool: call.name };
  const refused = (summary: string, text: string): ToolResult => {
    desk.report({ type: 'tool_ended', ...about, call: call.name, ok: false, summary });
    return result(false, text);
  };
  const chosen = tools.find(({ name }) => name === call.name);
  if (chosen === undefined) {
    const names = tools.map(({ name }) => name).join(', ');
    return refused('no such tool', `You have no tool "${call.name}". Your tools are: ${names}.`);
  }
  const prepared = chosen.prepare(call.input);
  if ('problem' in prepared) {
    return refused(
      'not run: its input is not right',
      `${call.name} was not run. Its input is not right: ${prepared.problem}. Call it again.`,
    );
  }

  const calledFor = firstLine(prepared.summary, limits.summaryCharacters);
  desk.report({ type: 'tool_started', ...about, summary: calledFor });
  const outcome = chosen.changes
    ? await onceOnly(chosen, prepared, call, context)
    : await inTime(chosen, prepared, call, context);
  desk.report({
    type: 'tool_ended',
    ...about,
    call: calledFor,
    ok: outcome.ok,
    summary: firstLine(outcome.summary, limits.summaryCharacters),
  });
  return result(outcome.ok, outcome.text);
}

const outcomeSchema = z.object({ ok: z.boolean(), text: z.string(), summary: z.string() });

/** A change is made once: a call that was carried out before gives its old result, also after the host has died. */
async function onceOnly(
  chosen: Tool,
  prepared: PreparedCall,
  call: ToolCall,
  context: ToolContext,
): Promise<ToolOutcome> {
  const performed = await context.desk.journal.perform(call.id, prepared.summary, async () => {
    const { text, ...rest } = await inTime(chosen, prepared, call, context);
    return JSON.stringify({ ...rest, text: bounded(text, limits.toolOutputCharacters) });
  });
  if (performed.kind === 'done') return outcomeSchema.parse(JSON.parse(performed.result));
  return {
    ok: false,
    text: `The host stopped while this was under way (${prepared.summary}), so it is not known whether it was carried out, wholly or in part. Look at what is there before you repeat it.`,
    summary: 'not known whether it was carried out',
  };
}

/** A tool that hangs is left to itself when its time is up, or the turn is stopped. */
async function inTime(
  chosen: Tool,
  prepared: PreparedCall,
  call: ToolCall,
  { clock, signal, ...context }: ToolContext,
): Promise<ToolOutcome> {
  const running = prepared.run({ clock, signal, ...context }, call.id);
  if (chosen.boundsItself === true) return running;
  const seconds = limits.toolMs / 1_000;
  const advice = chosen.changes
    ? 'It may have been carried out all the same: look before you repeat it.'
    : 'Ask for less at a time.';
  const late = {
    ok: false,
    text: `${chosen.name} did not end within ${seconds} seconds. ${advice}`,
    summary: `not ended after ${seconds} s`,
  };
  const stopped = { ok: false, text: `The turn was stopped meanwhile. ${advice}`, summary: 'stopped' };
  let release = (): void => undefined;
  const given = new Promise<ToolOutcome>((resolve) => {
    const cancel = clock.after(limits.toolMs, () => {
      resolve(late);
    });
    const stop = (): void => {
      resolve(stopped);
    };
    signal.addEventListener('abort', stop, { once: true });
    release = () => {
      cancel();
      signal.removeEventListener('abort', stop);
    };
  });
  try {
    return await Promise.race([running, given]);
  } finally {
    release();
  }
}
