import type { z } from 'zod';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import { describeIssues } from '../../../../shared/kernel/issues.ts';
import { describeFailure, type Result } from '../../../../shared/kernel/result.ts';
import type { TurnDesk, TurnRequest } from '../../../ports/engine.ts';
import type { Terminals } from '../../../ports/terminal.ts';

/** What a tool gives to the model. `ok` is false where the model should know that it did not work. */
export interface ToolOutcome {
  readonly ok: boolean;
  readonly text: string;
  /** One line for people who watch. */
  readonly summary: string;
}

/** What tools work with during a turn. */
export interface ToolContext {
  readonly request: TurnRequest;
  readonly desk: TurnDesk;
  readonly terminals: Terminals;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  /** Whether it changes something that stays: then it is written down before and after, and never done twice. */
  readonly changes: boolean;
  /** A time limit of its own, which it keeps itself. */
  readonly boundsItself?: boolean;
  /** Reads the model's input; the problem is told to the model. */
  prepare(input: unknown): PreparedCall | { readonly problem: string };
}

export interface PreparedCall {
  /** One line for people who watch: what it is about to do. */
  readonly summary: string;
  run(context: ToolContext, callId: string): Promise<ToolOutcome>;
}

/** A tool from its typed parts: its input is parsed by the schema that the model was shown. */
export function tool<Input>(parts: {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly changes: boolean;
  readonly boundsItself?: boolean;
  summary(input: Input): string;
  run(input: Input, context: ToolContext, callId: string): Promise<ToolOutcome>;
}): Tool {
  return {
    name: parts.name,
    description: parts.description,
    input: parts.input,
    changes: parts.changes,
    ...(parts.boundsItself === undefined ? {} : { boundsItself: parts.boundsItself }),
    prepare(given) {
      const parsed = parts.input.safeParse(given);
      if (!parsed.success) return { problem: describeIssues(parsed.error) };
      return {
        summary: parts.summary(parsed.data),
        run: (context, callId) => parts.run(parsed.data, context, callId),
      };
    },
  };
}

/** What came of a tool that works through a port: its text, or for the model what went wrong and what to do. */
export function outcomeOf<T>(
  result: Result<T>,
  told: (value: T) => { readonly text: string; readonly summary: string },
): ToolOutcome {
  return result.ok
    ? { ok: true, ...told(result.value) }
    : { ok: false, text: describeFailure(result.failure), summary: result.failure.message };
}
