import { z } from 'zod';
import { inputSummary } from '../coding-cli/input-summary.ts';
import type { CliEvent, CliReader } from '../coding-cli/dialect.ts';
import { anyEvent, eventSchema, itemSchema, type CodexEvent, type CodexUsage, type Item } from './events.ts';
import { SERVER } from './launch.ts';
import { problemOf } from './problems.ts';

/** Reads what one `codex exec --json` prints. */
export function codexReader(): CliReader {
  const reader = new CodexReader();
  return { read: (line) => reader.read(line) };
}

class CodexReader {
  /** Tools whose start was told: some items only come when they are done. */
  readonly #started = new Set<string>();
  #lastProblem: string | null = null;

  public read(line: unknown): readonly CliEvent[] | null {
    const known = eventSchema.safeParse(line);
    if (known.success) return this.#events(known.data);
    return anyEvent.safeParse(line).success ? [] : null;
  }

  #events(event: CodexEvent): readonly CliEvent[] {
    switch (event.type) {
      case 'thread.started':
        return [{ kind: 'session', id: event.thread_id }];
      case 'turn.started':
        return [{ kind: 'input_taken', id: null }];
      case 'turn.completed':
        return [used(event.usage), { kind: 'answered' }];
      case 'turn.failed':
        return this.#failed(event.error.message);
      case 'error':
        return event.message.startsWith('Reconnecting...')
          ? [{ kind: 'notice', text: event.message }]
          : this.#failed(event.message);
      case 'item.started':
      case 'item.completed': {
        const item = itemSchema.safeParse(event.item);
        return item.success ? this.#item(item.data, event.type === 'item.completed') : [];
      }
    }
  }

  /** It says the same once as an error and once as the turn's failure. */
  #failed(message: string): readonly CliEvent[] {
    if (message === this.#lastProblem) return [];
    this.#lastProblem = message;
    return [{ kind: 'failed', problem: problemOf(message) }];
  }

  #item(item: Item, completed: boolean): readonly CliEvent[] {
    switch (item.type) {
      case 'agent_message':
        return completed ? [{ kind: 'text', text: item.text }] : [];
      case 'error':
        return completed ? [{ kind: 'notice', text: item.message }] : [];
      case 'command_execution':
      case 'file_change':
      case 'mcp_tool_call':
      case 'web_search':
        return [...this.#toolStarted(item), ...(completed ? [toolEnded(item)] : [])];
    }
  }

  #toolStarted(item: ToolItem): readonly CliEvent[] {
    if (this.#started.has(item.id)) return [];
    this.#started.add(item.id);
    return [{ kind: 'tool_started', id: item.id, ...callOf(item) }];
  }
}

type ToolItem = Exclude<Item, { type: 'agent_message' | 'error' }>;

/** Codex says one sum at its end, and not which model it took where none was named. */
function used(usage: CodexUsage): CliEvent {
  const cacheReadTokens = usage.cached_input_tokens;
  const cacheWriteTokens = usage.cache_write_input_tokens;
  return {
    kind: 'used',
    model: 'codex',
    inputTokens: Math.max(0, usage.input_tokens - cacheReadTokens - cacheWriteTokens),
    outputTokens: usage.output_tokens,
    cacheReadTokens,
    cacheWriteTokens,
    usd: null,
  };
}

function callOf(item: ToolItem): {
  readonly tool: string;
  readonly summary: string;
  readonly input: unknown;
} {
  switch (item.type) {
    case 'command_execution':
      return { tool: 'shell', summary: `$ ${item.command}`, input: item.command };
    case 'file_change': {
      const summary = item.changes.map(({ kind, path }) => `${kind} ${path}`).join(', ');
      return { tool: 'edit', summary, input: item.changes };
    }
    case 'mcp_tool_call': {
      const tool = item.server === SERVER ? item.tool : `${item.server}.${item.tool}`;
      return { tool, summary: inputSummary(item.arguments), input: item.arguments };
    }
    case 'web_search':
      return { tool: 'web_search', summary: item.query, input: item.query };
  }
}

function toolEnded(item: ToolItem): CliEvent {
  const { id } = item;
  switch (item.type) {
    case 'command_execution': {
      const how = typeof item.exit_code === 'number' ? `exit code ${item.exit_code}` : item.status;
      const output = item.aggregated_output.trimEnd();
      return {
        kind: 'tool_ended',
        id,
        ok: item.status === 'completed',
        answer: output === '' ? how : `${how}: ${output}`,
      };
    }
    case 'file_change':
      return { kind: 'tool_ended', id, ok: item.status === 'completed', answer: item.status };
    case 'mcp_tool_call':
      return {
        kind: 'tool_ended',
        id,
        ok: item.status === 'completed',
        answer: item.error?.message ?? textsIn(item.result?.content ?? []),
      };
    case 'web_search':
      return { kind: 'tool_ended', id, ok: true, answer: 'searched' };
  }
}

const textContent = z.object({ text: z.string() });

function textsIn(content: readonly unknown[]): string {
  return content.map((part) => textContent.safeParse(part).data?.text ?? '').join('\n');
}
