import type { Clock } from '../../../shared/kernel/clock.ts';
import { err, ok, type Result } from '../../../shared/kernel/result.ts';
import type { CliPlace } from '../../ports/coding-cli.ts';
import type { EngineFailure, FollowUp, TurnDesk, TurnRequest, TurnYield } from '../../ports/engine.ts';
import type { GateTool, OpenGate, TurnGates, Upstream } from '../../ports/turn-gate.ts';
import { budgetUsedUp } from '../budget-failure.ts';
import { shownOutput } from '../shown-output.ts';
import { CallBudget } from './call-budget.ts';
import { CliConversation } from './conversation.ts';
import type { CliDialect, CliStart } from './dialect.ts';
import { failureOfPlace } from './faults.ts';
import { isBadSession, judge } from './judge.ts';
import { prepare, startOf } from './launch.ts';
import { limits } from './limits.ts';
import { followUpNote, goOnNote, wrapUpNote } from './notes.ts';
import { sessionMemory, type SessionMemory } from './session-memory.ts';
import { toolsFor } from './tools.ts';
import { isAfterVerdict, newest, yieldOf } from './yield.ts';

/** What a turn through a coding agent's program needs. */
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
  readonly #budget: CallBudget;
  readonly #tools: readonly GateTool[];
  readonly #followUps: string[] = [];
  /** The verdicts of this attempt that were accepted. */
  #calls: unknown[] = [];
  #conversation: CliConversation | null = null;
  #gate: OpenGate | null = null;
  /** How many refusals there had been when a call last went through. */
  #refusalsPassed = 0;

  public constructor(parts: TurnParts) {
    this.#parts = parts;
    const { dialect, desk, request, cli, upstream } = parts;
    const home = cli.sealed ? 'container' : 'host';
    this.#memory = sessionMemory(desk.transcript, dialect.engine, home, request.turnId);
    this.#tools = this.#watchedTools();
    this.#budget = new CallBudget({
      desk,
      title: dialect.title,
      byOwnLogin: upstream === null,
      conversation: () => this.#conversation,
    });
    this.#onScreen = shownOutput(desk, `${request.turnId}:screen`, limits.shownOutputCharacters);
  }

  public async run(): Promise<Result<TurnYield, EngineFailure>> {
    const { request, gates, upstream, desk, dialect } = this.#parts;
    const before = request.resumed ? this.#submittedBefore() : null;
    if (before !== null) return ok(before);
    const gate = await gates.open({
      upstream,
      beforeCall: () => this.#budget.permit(),
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
    const permit = this.#budget.permitLaunch();
    if (permit?.kind === 'refused') return failed(budgetUsedUp(permit));
    const told = permit?.kind === 'wrap_up' ? `${prompt}\n\n${wrapUpNote(permit)}` : prompt;
    const ground = { request, cli, gate, tools: this.#tools, byOwnLogin: upstream === null };
    const start = startOf(ground, session, { id: newUuid(), text: told });
    const command = await prepare(dialect, cli, start);
    if (!command.ok) return failed(command.failure);
    this.#refusalsPassed = gate.refusals().length;
    this.#calls = [];
    this.#conversation = new CliConversation({
      dialect,
      desk,
      clock,
      cli,
      newUuid,
      program,
      command: command.value,
      heading: { role: request.role, model: start.model },
      promptId: start.input.id,
      onScreen: this.#onScreen,
      onPromptTaken: (id) => {
        this.#memory.keep(id ?? session.id);
        this.#take(followUps);
      },
      onCallBegun: () => {
        this.#budget.onCallBegun();
      },
      onUsed: (usage, durationMs) => {
        this.#budget.onUsed(usage, durationMs);
      },
    });
    const ran = await this.#conversation.run(signal);
    if (!ran.ok) return failed(failureOfPlace(ran.failure, dialect.install));
    const said = ran.value;
    this.#followUps.push(...said.followUps);
    const refusals = gate.refusals().slice(this.#refusalsPassed);
    const failure = judge(said, {
      dialect,
      model: start.model,
      account: upstream === null ? null : (request.account?.name ?? null),
      refusals,
      now: clock.now(),
      signal,
    });
    const value = yieldOf(request, said.texts, this.#calls);
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

  /** All that a session has to be told that knows nothing of before: what the lost one had been told since, too. */
  #freshPrompt(): string {
    const { freshPrompt } = this.#parts.request;
    if (this.#followUps.length === 0) return freshPrompt;
    return [freshPrompt, 'These messages came while you worked:', ...this.#followUps].join('\n\n');
  }

  /** The host died, or the program failed, after a verdict had been accepted: it stands. */
  #submittedBefore(): TurnYield | null {
    const before = yieldOf(this.#parts.request, [], this.#memory.verdicts());
    return before.reading.kind === 'verdict' ? before : null;
  }
}

type AttemptEnd =
  | { readonly kind: 'yield'; readonly value: TurnYield }
  /** `sessionIsBad`: a fresh session may do what this one could not. */
  | { readonly kind: 'failed'; readonly failure: EngineFailure; readonly sessionIsBad: boolean };
