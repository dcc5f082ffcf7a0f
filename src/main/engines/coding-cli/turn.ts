import type { Clock } from '../../../shared/kernel/clock.ts';
import { err, ok, type Result } from '../../../shared/kernel/result.ts';
import { readVerdict } from '../../domain/verdict/read-verdict.ts';
import { emptyReport } from '../../domain/verdict/submission.ts';
import type { CliPlace } from '../../ports/coding-cli.ts';
import type {
  CallPermit,
  EngineFailure,
  FollowUp,
  TurnDesk,
  TurnRequest,
  TurnYield,
} from '../../ports/engine.ts';
import type { GateTool, OpenGate, TurnGates, Upstream } from '../../ports/turn-gate.ts';
import { budgetUsedUp } from '../budget-failure.ts';
import { shownOutput } from '../shown-output.ts';
import { readSubmitted } from '../verdict-calls.ts';
import { CliConversation } from './conversation.ts';
import type { CliDialect, CliStart, CliUsage } from './dialect.ts';
import { failureOfPlace } from './faults.ts';
import { isBadSession, judge } from './judge.ts';
import { limits } from './limits.ts';
import { followUpNote, goOnNote, wrapUpNote } from './notes.ts';
import { sessionMemory, type SessionMemory } from './session-memory.ts';
import { toolsFor } from './tools.ts';

export interface TurnParts {
  readonly dialect: CliDialect;
  readonly clock: Clock;
  readonly gates: TurnGates;
  readonly newUuid: () => string;
  /** The program, as the place starts it. */
  readonly program: string;
  readonly request: TurnRequest;
  readonly desk: TurnDesk;
  readonly cli: CliPlace;
  /** Null where the person's own login is used. */
  readonly upstream: Upstream | null;
  readonly signal: AbortSignal;
}

/**
 * One try of a turn through a coding agent's program. It goes on in the session of the turns before; where that is
 * lost or cannot be gone on in, it begins a fresh one, once, and tells it everything.
 */
export class CliTurn {
  readonly #parts: TurnParts;
  readonly #memory: SessionMemory;
  readonly #onScreen: (data: string) => void;
  readonly #tools: readonly GateTool[];
  readonly #followUps: string[] = [];
  /** The verdicts of this attempt that were accepted. */
  #calls: unknown[] = [];
  #conversation: CliConversation | null = null;
  #gate: OpenGate | null = null;
  /** How many refusals there had been when a call last went through. */
  #refusalsPassed = 0;
  #callsBegun = 0;
  #toldToWrapUp = false;

  public constructor(parts: TurnParts) {
    this.#parts = parts;
    const { dialect, desk, request, cli } = parts;
    const home = cli.sealed ? 'container' : 'host';
    this.#memory = sessionMemory(desk.transcript, dialect.engine, home, request.turnId);
    this.#tools = this.#watchedTools();
    this.#onScreen = shownOutput(desk, `${request.turnId}:screen`, limits.shownOutputCharacters);
  }

  public async run(): Promise<Result<TurnYield, EngineFailure>> {
    const { request, gates, upstream, desk, dialect } = this.#parts;
    const before = request.resumed ? this.#submittedBefore() : null;
    if (before !== null) return ok(before);
    const gate = await gates.open({
      upstream,
      beforeCall: () => this.#permit(),
      recordCall: (call) => {
        this.#refusalsPassed = this.#gate?.refusals().length ?? 0;
        desk.recordCall(call);
      },
      tools: this.#tools,
    });
    this.#gate = gate;
    try {
      const first = await this.#converse(gate);
      return dialect.followUp === null ? await this.#answerFollowUps(gate, first) : first;
    } finally {
      await gate.close();
    }
  }

  async #converse(gate: OpenGate): Promise<Result<TurnYield, EngineFailure>> {
    const { request, dialect, desk } = this.#parts;
    const last = this.#memory.last();
    if (last !== null) {
      const goesOn = request.resumed && last.turn === request.turnId;
      const prompt = goesOn ? goOnNote(request) : request.prompt;
      const ended = await this.#attempt(gate, { kind: 'resume', id: last.session }, prompt);
      if (ended.kind === 'yield') return ok(ended.value);
      if (!ended.sessionIsBad) return err(ended.failure);
      const why = ended.failure.message;
      const text = `${dialect.title} could not go on in its session, so a fresh one is told everything: ${why}`;
      desk.report({ type: 'notice', text });
    }
    const session = { kind: 'new', id: this.#parts.newUuid() } as const;
    const ended = await this.#attempt(gate, session, this.#freshPrompt());
    return ended.kind === 'yield' ? ok(ended.value) : err(ended.failure);
  }

  /**
   * A program that takes no messages while it runs is given them when it has ended, in the same session: a turn is over
   * when all its inputs are answered. A verdict stands until there is a newer one.
   */
  async #answerFollowUps(
    gate: OpenGate,
    first: Result<TurnYield, EngineFailure>,
  ): Promise<Result<TurnYield, EngineFailure>> {
    const { desk, request } = this.#parts;
    let yielded = first;
    for (;;) {
      const waiting = desk.followUps();
      const session = this.#memory.last()?.session;
      if (!yielded.ok || waiting.length === 0 || session === undefined) return yielded;
      const note = followUpNote(request, waiting);
      const ended = await this.#attempt(gate, { kind: 'resume', id: session }, note, waiting);
      if (ended.kind === 'failed') return err(ended.failure);
      // Answered is taken, whether or not the program said so.
      this.#take(waiting);
      yielded = ok(newest(yielded.value, ended.value));
    }
  }

  #take(followUps: readonly FollowUp[]): void {
    const waiting = this.#parts.desk.followUps();
    for (const { id, text } of followUps) {
      if (!waiting.some((other) => other.id === id)) continue;
      this.#followUps.push(text);
      this.#parts.desk.taken(id);
    }
  }

  /** Runs the program once, from the prompt to its end. The follow-ups are those that the prompt says. */
  async #attempt(
    gate: OpenGate,
    session: CliStart['session'],
    prompt: string,
    followUps: readonly FollowUp[] = [],
  ): Promise<AttemptEnd> {
    const { dialect, desk, clock, cli, newUuid, program, request, upstream, signal } = this.#parts;
    const failed = (failure: EngineFailure): AttemptEnd => ({ kind: 'failed', failure, sessionIsBad: false });
    const permit = upstream === null ? desk.beforeCall() : null;
    if (permit?.kind === 'refused') return failed(budgetUsedUp(permit));
    const told = permit?.kind === 'wrap_up' ? `${prompt}\n\n${wrapUpNote(permit)}` : prompt;
    const start = this.#start(gate, session, { id: newUuid(), text: told });
    const paths = await this.#layDown(dialect.files(start));
    if (!paths.ok) return failed(paths.failure);
    this.#refusalsPassed = gate.refusals().length;
    this.#callsBegun = 0;
    this.#calls = [];
    this.#conversation = new CliConversation({
      dialect,
      desk,
      clock,
      cli,
      newUuid,
      program,
      command: dialect.command(start, paths.value),
      heading: { role: request.role, model: start.model },
      promptId: start.input.id,
      onScreen: this.#onScreen,
      onPromptTaken: (id) => {
        this.#memory.keep(id ?? session.id);
        this.#take(followUps);
      },
      onCallBegun: () => {
        this.#onCallBegun();
      },
      onUsed: (usage, durationMs) => {
        this.#onUsed(usage, durationMs);
      },
    });
    const ran = await this.#conversation.run(signal);
    if (!ran.ok) return failed(failureOfPlace(ran.failure, dialect.install));
    const said = ran.value;
    this.#followUps.push(...said.followUps);
    const refusals = gate.refusals().slice(this.#refusalsPassed);
    const failure = judge(said, { dialect, model: start.model, refusals, now: clock.now(), signal });
    const value = this.#yield(said.texts, this.#calls);
    if (failure === null) return { kind: 'yield', value };
    if (isAfterVerdict(value, failure)) {
      desk.report({
        type: 'notice',
        text: `The verdict was given before this happened, and stands: ${failure.message}`,
      });
      return { kind: 'yield', value };
    }
    const sessionIsBad = session.kind === 'resume' && isBadSession(said, failure, dialect);
    return { kind: 'failed', failure, sessionIsBad };
  }

  #start(gate: OpenGate, session: CliStart['session'], input: CliStart['input']): CliStart {
    const { request, cli, upstream } = this.#parts;
    const { role, settings, permissions, system, account } = request;
    return {
      role,
      sealed: cli.sealed,
      directory: cli.directory,
      home: cli.home,
      model: settings.model,
      permissions,
      system,
      input,
      session,
      gate: { address: cli.addressOf(gate), token: gate.token },
      models:
        upstream === null ? { through: 'login', baseUrl: account?.baseUrl ?? null } : { through: 'gate' },
      tools: this.#tools.map(({ name }) => name),
    };
  }

  async #layDown(
    files: Readonly<Record<string, string>>,
  ): Promise<Result<Readonly<Record<string, string>>, EngineFailure>> {
    const paths: Record<string, string> = {};
    for (const [name, content] of Object.entries(files)) {
      const laid = await this.#parts.cli.layDown(name, content);
      if (!laid.ok) return err(failureOfPlace(laid.failure, this.#parts.dialect.install));
      paths[name] = laid.value;
    }
    return ok(paths);
  }

  /** Our tools, each of which keeps the conversation from being taken for silent while it works. */
  #watchedTools(): readonly GateTool[] {
    const { request, desk, dialect } = this.#parts;
    const tools = toolsFor(request, desk, dialect.permissionTool, (call) => {
      this.#calls.push(call);
      this.#memory.keepVerdict(call);
    });
    return tools.map((tool) => ({
      ...tool,
      call: async (input, signal) => {
        const workEnds = this.#conversation?.toolWorks();
        try {
          return await tool.call(input, signal);
        } finally {
          workEnds?.();
        }
      },
    }));
  }

  /** Asked before each call: by the gate, or where the program's own events tell of one. */
  #permit(): CallPermit {
    const { desk, dialect } = this.#parts;
    const permit = desk.beforeCall();
    if (permit.kind === 'refused') this.#conversation?.giveUp(budgetUsedUp(permit));
    if (permit.kind === 'wrap_up' && !this.#toldToWrapUp) {
      this.#toldToWrapUp = true;
      if (this.#conversation?.tell(wrapUpNote(permit)) !== true) {
        const text = `The budget (${permit.limit}) is used up. ${dialect.title} cannot be told while it runs; it is ended when the grace is over.`;
        desk.report({ type: 'notice', text });
      }
    }
    return permit;
  }

  /** The first call of a launch was allowed before it. */
  #onCallBegun(): void {
    if (this.#parts.upstream !== null) return;
    this.#callsBegun += 1;
    if (this.#callsBegun > 1) this.#permit();
  }

  #onUsed({ model, usd, ...tokens }: CliUsage, durationMs: number): void {
    if (this.#parts.upstream !== null) return;
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = tokens;
    this.#parts.desk.recordCall({
      model,
      inputTokens,
      outputTokens,
      cacheReadTokens,
      cacheWriteTokens,
      usd,
      durationMs,
    });
  }

  /** All that a session has to be told that knows nothing of before: what the lost one had been told since, too. */
  #freshPrompt(): string {
    const { freshPrompt } = this.#parts.request;
    if (this.#followUps.length === 0) return freshPrompt;
    return [freshPrompt, 'These messages came while you worked:', ...this.#followUps].join('\n\n');
  }

  /** The host died, or the program failed, after a verdict had been accepted: it stands. */
  #submittedBefore(): TurnYield | null {
    const before = this.#yield([], this.#memory.verdicts());
    return before.reading.kind === 'verdict' ? before : null;
  }

  #yield(texts: readonly string[], calls: readonly unknown[]): TurnYield {
    const { role, nonce } = this.#parts.request;
    const submitted = readSubmitted(role, nonce, calls);
    const said = [...texts, ...(submitted?.summaries ?? [])].join('\n\n');
    // Verdicts that contradict each other were said too, even without a word beside them.
    const contradiction = submitted?.reading.kind === 'none' ? submitted.reading.reason : '';
    return {
      text: said === '' ? contradiction : said,
      reading: submitted?.reading ?? readVerdict(role, texts.at(-1) ?? ''),
      report: submitted?.report ?? emptyReport,
    };
  }
}

type AttemptEnd =
  | { readonly kind: 'yield'; readonly value: TurnYield }
  /** `sessionIsBad`: a fresh session may do what this one could not. */
  | { readonly kind: 'failed'; readonly failure: EngineFailure; readonly sessionIsBad: boolean };

/** What happens to a model call after the verdict has ended the turn takes nothing of it back. */
const AFTER_VERDICT: ReadonlySet<EngineFailure['tag']> = new Set([
  'budget',
  'exhausted',
  'rate_limited',
  'overloaded',
  'network',
]);

function isAfterVerdict({ reading }: TurnYield, { tag }: EngineFailure): boolean {
  return reading.kind === 'verdict' && reading.via === 'tool' && AFTER_VERDICT.has(tag);
}

function newest(before: TurnYield, after: TurnYield): TurnYield {
  const text = `${before.text}\n\n${after.text}`.trim();
  return after.reading.kind === 'verdict' ? { ...after, text } : { ...before, text };
}
