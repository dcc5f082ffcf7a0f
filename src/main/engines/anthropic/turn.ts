import type Anthropic from '@anthropic-ai/sdk';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { err, ok, type Result } from '../../../shared/kernel/result.ts';
import { bounded } from '../../../shared/kernel/text.ts';
import { SUBMIT_VERDICT } from '../../../shared/vocabulary/words.ts';
import { readVerdict } from '../../domain/verdict/read-verdict.ts';
import { emptyReport } from '../../domain/verdict/submission.ts';
import type { CallPermit, EngineFailure, TurnDesk, TurnRequest, TurnYield } from '../../ports/engine.ts';
import type { Terminals } from '../../ports/terminal.ts';
import { budgetUsedUp } from '../budget-failure.ts';
import { LoopGuard, looped } from '../loop-guard.ts';
import { readSubmitted } from '../verdict-calls.ts';
import { stoppedCall } from './call-failures.ts';
import {
  callsOf,
  isCutOff,
  nextStep,
  placeOfPrompt,
  readTranscript,
  repliesIn,
  wordsOf,
  type Entry,
  type Reply,
  type ToolResult,
} from './conversation.ts';
import { limits } from './limits.ts';
import { callModel, type Access } from './model-call.ts';
import { usdOf, type PriceList } from './prices.ts';
import { requestFor } from './request.ts';
import type { Tool } from './tools/tool.ts';
import { carryOut, definitionsOf, toolsFor } from './tools/toolbox.ts';

export interface TurnParts {
  readonly request: TurnRequest;
  readonly model: string;
  readonly desk: TurnDesk;
  readonly terminals: Terminals;
  readonly access: Access;
  readonly prices: PriceList;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * One try of a turn: calls the model and carries out its tool calls until it has submitted a verdict or has nothing
 * more to do. What is done next is told from the transcript alone, so that a turn goes on after the host has died
 * as if nothing had happened.
 */
export class AnthropicTurn {
  readonly #parts: TurnParts;
  readonly #tools: readonly Tool[];
  readonly #definitions: readonly Anthropic.Tool[];
  readonly #loopGuard = new LoopGuard();
  readonly #entries: Entry[];
  /** Where this turn begins among the entries. */
  readonly #begin: number;
  /** What the next request says beyond the transcript. It is kept with the reply to it: unanswered, it was not said. */
  #pending: Entry[];

  public constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#tools = toolsFor(parts.request);
    this.#definitions = definitionsOf(this.#tools);
    const { entries, dropped } = readTranscript(parts.desk.transcript.entries());
    if (dropped > 0) {
      parts.desk.report({
        type: 'notice',
        text: `${dropped} entries of the session could not be read; the conversation begins after them.`,
      });
    }
    this.#entries = [...entries];
    const { turnId, prompt, nonce, resumed } = parts.request;
    const place = placeOfPrompt(entries, turnId, resumed ? null : prompt);
    this.#begin = place === -1 ? entries.length : place;
    this.#pending =
      place === -1
        ? [{ kind: 'prompt', turn: turnId, text: prompt }]
        : [{ kind: 'note', text: `The turn was interrupted, and goes on now. Its nonce is ${nonce}.` }];
  }

  public async run(): Promise<Result<TurnYield, EngineFailure>> {
    let called = false;
    for (;;) {
      if (this.#parts.signal.aborted) return err(stoppedCall(this.#parts.model));
      const turn = this.#entries.slice(this.#begin);
      const step = nextStep(turn, this.#accepted(turn));
      if (step.kind === 'answer') {
        const loop = await this.#answer(step.reply);
        if (loop !== null) return err(loop);
        continue;
      }
      // A turn that goes on may be over already; but one that came to nothing is tried again to come to something.
      if (step.kind === 'end' && (called || this.#cameToSomething(turn))) return ok(this.#yield(turn));
      if (step.kind === 'call_on') {
        if (step.cutReplies >= limits.cutReplies) return err(this.#tooOftenCut(step.cutReplies));
        this.#pending.push({ kind: 'note', text: CALL_ON });
      }
      const failure = await this.#call();
      if (failure !== null) return err(failure);
      called = true;
    }
  }

  /** Calls the model once; the complete reply is in the transcript afterwards. */
  async #call(): Promise<EngineFailure | null> {
    const { desk, model, request, access, clock, signal, prices } = this.#parts;
    const permit = desk.beforeCall();
    if (permit.kind === 'refused') return budgetUsedUp(permit);
    if (permit.kind === 'wrap_up') this.#pending.push({ kind: 'note', text: wrapUpNote(permit) });
    const followUps = this.#newFollowUps();
    const said = [...this.#pending, ...followUps];

    const outcome = await callModel(
      requestFor({
        model,
        maxTokens: request.settings.maxTokens ?? limits.replyTokens,
        system: request.system,
        tools: this.#definitions,
        entries: [...this.#entries, ...said],
      }),
      access,
      clock,
      signal,
      (text) => {
        desk.report({ type: 'text', text: bounded(text, limits.shownTextCharacters) });
      },
    );
    if (outcome.tokens !== null) {
      const { input, output, cacheRead, cacheWrite } = outcome.tokens;
      desk.recordCall({
        model,
        inputTokens: input,
        outputTokens: output,
        cacheReadTokens: cacheRead,
        cacheWriteTokens: cacheWrite,
        usd: usdOf(prices, model, outcome.tokens),
        durationMs: outcome.durationMs,
      });
    }
    if (!outcome.reply.ok) return outcome.reply.failure;
    this.#append([...said, outcome.reply.value]);
    this.#pending = [];
    for (const { message } of followUps) desk.taken(message);
    return null;
  }

  /** Carries out the calls of a reply, one after another, and keeps their results together. A loop among them is a failure. */
  async #answer(reply: Reply): Promise<EngineFailure | null> {
    const { request, desk, terminals, clock, signal } = this.#parts;
    const context = { request, desk, terminals, clock, signal };
    const results: ToolResult[] = [];
    let loop: EngineFailure | null = null;
    for (const call of callsOf(reply)) {
      // Calls that a stop has left open are answered when the turn goes on, if it does.
      if (signal.aborted) return null;
      const result = isCutOff(reply, call)
        ? cutOffCall(call.id, call.name)
        : await carryOut(call, this.#tools, context);
      results.push(result);
      const closed = this.#loopGuard.closes({ tool: call.name, input: call.input, answer: result.text });
      if (closed) loop = looped(call.name);
    }
    if (!signal.aborted) this.#append([{ kind: 'results', results }]);
    return loop;
  }

  #append(entries: readonly Entry[]): void {
    this.#parts.desk.transcript.append(entries);
    this.#entries.push(...entries);
  }

  /** Messages that the transcript does not hold yet. One that it holds was taken, though the host died before it was told. */
  #newFollowUps(): readonly Extract<Entry, { kind: 'follow_up' }>[] {
    const { desk } = this.#parts;
    const held = new Set(this.#entries.map((entry) => (entry.kind === 'follow_up' ? entry.message : null)));
    return desk.followUps().flatMap(({ id, text }) => {
      if (!held.has(id)) return [{ kind: 'follow_up', message: id, text }];
      desk.taken(id);
      return [];
    });
  }

  #accepted(turn: readonly Entry[]): boolean {
    const { role, nonce } = this.#parts.request;
    return readSubmitted(role, nonce, submissionsIn(turn)) !== null;
  }

  #cameToSomething(turn: readonly Entry[]): boolean {
    return this.#accepted(turn) || repliesIn(turn).some((reply) => wordsOf(reply) !== '');
  }

  #yield(turn: readonly Entry[]): TurnYield {
    const { role, nonce } = this.#parts.request;
    const texts = repliesIn(turn)
      .map(wordsOf)
      .filter((text) => text !== '');
    const submitted = readSubmitted(role, nonce, submissionsIn(turn));
    const said = [...texts, ...(submitted?.summaries ?? [])].join('\n\n');
    // Verdicts that contradict each other were said too, even without a word beside them.
    const contradiction = submitted?.reading.kind === 'none' ? submitted.reading.reason : '';
    return {
      text: said === '' ? contradiction : said,
      reading: submitted?.reading ?? readVerdict(role, texts.at(-1) ?? ''),
      report: submitted?.report ?? emptyReport,
    };
  }

  #tooOftenCut(times: number): EngineFailure {
    const { model, request } = this.#parts;
    const tokens = request.settings.maxTokens ?? limits.replyTokens;
    return {
      tag: 'cut_off',
      forGood: false,
      message: `${model} ran into its limit of ${tokens} tokens in ${times} replies in a row.`,
      next: "Raise maxTokens in the room's settings, or ask for less at a time.",
    };
  }
}

/** Told to a model whose reply was cut at its limit of tokens. */
const CALL_ON =
  'Your reply reached its limit of tokens and was cut there. Go on from where it ends, in smaller steps.';

/** What the verdict calls of a turn said, whole ones only. */
function submissionsIn(turn: readonly Entry[]): readonly unknown[] {
  return repliesIn(turn).flatMap((reply) =>
    callsOf(reply)
      .filter((call) => call.name === SUBMIT_VERDICT && !isCutOff(reply, call))
      .map(({ input }) => input),
  );
}

function cutOffCall(id: string, name: string): ToolResult {
  return {
    id,
    ok: false,
    text: `${name} was not run: your reply reached its limit of tokens within this call. Make the call smaller, for a long file in several parts.`,
  };
}

function wrapUpNote(permit: Extract<CallPermit, { kind: 'wrap_up' }>): string {
  const left =
    permit.callsLeft === 1
      ? 'This is your last reply'
      : `You have ${permit.callsLeft} replies left, this one counted`;
  return `The task's budget (${permit.limit}) is used up. ${left}. Bring the work into a state that can be kept, and finish now with ${SUBMIT_VERDICT}.`;
}
