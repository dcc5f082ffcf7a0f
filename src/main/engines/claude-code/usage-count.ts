import type { CliEvent, CliUsage } from '../coding-cli/dialect.ts';

interface ApiUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens?: number | null | undefined;
  readonly cache_creation_input_tokens?: number | null | undefined;
}

type StreamEvent =
  | { readonly type: 'message_start'; readonly message: { readonly model: string; readonly usage: ApiUsage } }
  | { readonly type: 'message_delta'; readonly usage: ApiUsage };

/** What a result says that each model has used since the start of the process. */
type ModelTotals = Readonly<
  Record<
    string,
    {
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cacheReadInputTokens: number;
      readonly cacheCreationInputTokens: number;
      readonly costUSD: number;
    }
  >
>;

/** `apiKeySource` of a person who is logged in with a subscription, which has no price. */
const NO_KEY = 'none';

/** Counts what a process uses: call by call as streams tell it, and at each result what they did not tell. */
export class UsageCount {
  readonly #told = new Map<string, CliUsage>();
  #open: CliUsage | null = null;
  #hasPrice = false;

  public paidBy(apiKeySource: string | null): void {
    this.#hasPrice = apiKeySource !== null && apiKeySource !== NO_KEY;
  }

  public of(event: StreamEvent): readonly CliEvent[] {
    if (event.type === 'message_start') {
      const { model, usage } = event.message;
      this.#open = {
        model,
        inputTokens: usage.input_tokens,
        outputTokens: 0,
        cacheReadTokens: usage.cache_read_input_tokens ?? 0,
        cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
        usd: null,
      };
      return [{ kind: 'call_begun' }];
    }
    const open = this.#open;
    if (open === null) return [];
    this.#open = null;
    return [this.#tell({ ...open, outputTokens: event.usage.output_tokens })];
  }

  /** The rest: calls that were not streamed to us, and what all calls cost. */
  public rest(totals: ModelTotals): readonly CliEvent[] {
    return Object.entries(totals).flatMap(([model, total]) => {
      const told = this.#told.get(model) ?? nothing(model);
      const rest: CliUsage = {
        model,
        inputTokens: Math.max(0, total.inputTokens - told.inputTokens),
        outputTokens: Math.max(0, total.outputTokens - told.outputTokens),
        cacheReadTokens: Math.max(0, total.cacheReadInputTokens - told.cacheReadTokens),
        cacheWriteTokens: Math.max(0, total.cacheCreationInputTokens - told.cacheWriteTokens),
        usd: this.#hasPrice ? Math.max(0, total.costUSD - (told.usd ?? 0)) : null,
      };
      return isNothing(rest) ? [] : [this.#tell(rest)];
    });
  }

  #tell(usage: CliUsage): CliEvent {
    const before = this.#told.get(usage.model) ?? nothing(usage.model);
    this.#told.set(usage.model, {
      model: usage.model,
      inputTokens: before.inputTokens + usage.inputTokens,
      outputTokens: before.outputTokens + usage.outputTokens,
      cacheReadTokens: before.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: before.cacheWriteTokens + usage.cacheWriteTokens,
      usd: (before.usd ?? 0) + (usage.usd ?? 0),
    });
    return { kind: 'used', ...usage };
  }
}

function nothing(model: string): CliUsage {
  return { model, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, usd: 0 };
}

function isNothing({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, usd }: CliUsage): boolean {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens === 0 && (usd ?? 0) === 0;
}
