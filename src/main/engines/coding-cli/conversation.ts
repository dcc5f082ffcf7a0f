import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { bounded, firstLine } from '../../../shared/kernel/text.ts';
import type { MessageId } from '../../../shared/vocabulary/ids.ts';
import type { CliEnd, CliFailure, CliPlace, RunningCli } from '../../ports/coding-cli.ts';
import type { EngineFailure, TurnDesk } from '../../ports/engine.ts';
import { LoopGuard, looped } from '../loop-guard.ts';
import type { CliCommand, CliDialect, CliEvent, CliProblem, CliUsage } from './dialect.ts';
import { silent, tooLongALine } from './faults.ts';
import { limits } from './limits.ts';
import { ProgramOutput } from './program-output.ts';
import { render, renderFollowUp, renderNotice, renderStart } from './rendering.ts';

export interface ConversationParts {
  readonly dialect: CliDialect;
  readonly desk: TurnDesk;
  readonly clock: Clock;
  readonly cli: CliPlace;
  readonly newUuid: () => string;
  readonly program: string;
  readonly command: CliCommand;
  /** The first line on the terminal. */
  readonly heading: { readonly role: string; readonly model: string | null };
  /** The id of the prompt among the inputs. */
  readonly promptId: string;
  onScreen(data: string): void;
  /** The prompt is in the conversation of this session. */
  onPromptTaken(session: string | null): void;
  /** Told where calls can be told apart; the first of a launch was allowed before it. */
  onCallBegun(): void;
  onUsed(usage: CliUsage, durationMs: number): void;
}

/** What one process said, and how it ended. */
export interface Said {
  readonly session: string | null;
  readonly promptTaken: boolean;
  /** Every input that it was given is answered. */
  readonly answered: boolean;
  readonly texts: readonly string[];
  /** The follow-ups that it took. */
  readonly followUps: readonly string[];
  readonly problem: CliProblem | null;
  /** Why we ended it before it was done. */
  readonly gaveUp: EngineFailure | null;
  readonly end: CliEnd;
  readonly errorOutput: string;
  /** The first line that is not the program's protocol. */
  readonly garbage: string | null;
  /** It ended in the middle of a line. */
  readonly halfLine: boolean;
}

/** One process of a coding agent: from the prompt to its end. */
export class CliConversation {
  readonly #parts: ConversationParts;
  readonly #output: ProgramOutput;
  readonly #loopGuard = new LoopGuard();
  readonly #errorDecoder = new TextDecoder();
  /** Inputs that were written and are not in the conversation yet: a follow-up's message, or null for words of ours. */
  readonly #open = new Map<string, { readonly message: MessageId; readonly text: string } | null>();
  readonly #offered = new Set<MessageId>();
  readonly #tools = new Map<string, Extract<CliEvent, { kind: 'tool_started' }>>();
  readonly #texts: string[] = [];
  readonly #followUps: string[] = [];
  #running: RunningCli | null = null;
  #session: string | null = null;
  #promptTaken = false;
  #answered = false;
  #inputEnded = false;
  #saidFarewell = false;
  #problem: CliProblem | null = null;
  #gaveUp: EngineFailure | null = null;
  #errorOutput = '';
  #callBegunAt: number;
  #working = 0;
  #cancelTimer = (): void => undefined;

  public constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#callBegunAt = parts.clock.now();
    this.#open.set(parts.promptId, null);
    this.#output = new ProgramOutput({
      title: parts.dialect.title,
      reader: parts.dialect.reader(),
      onEvent: (event) => {
        if (this.#gaveUp === null) this.#onEvent(event);
      },
      onNotice: (text) => {
        this.#notice(text);
      },
      onTooLong: () => {
        this.giveUp(tooLongALine(parts.dialect.title));
      },
    });
  }

  public async run(signal: AbortSignal): Promise<Result<Said, CliFailure>> {
    const { cli, program, command, desk, dialect, heading } = this.#parts;
    const started = await cli.start(
      {
        program,
        args: command.args,
        environment: command.environment,
        onOutput: (chunk) => {
          this.#waitForMore();
          this.#output.push(chunk);
        },
        onProblem: (chunk) => {
          this.#waitForMore();
          this.#keepErrorOutput(this.#errorDecoder.decode(chunk, { stream: true }));
        },
        onScreen: (data) => {
          this.#parts.onScreen(data);
        },
      },
      signal,
    );
    if (!started.ok) return started;
    const running = started.value;
    this.#running = running;
    if (this.#gaveUp !== null) running.stop();
    running.show(renderStart(dialect.title, heading.role, heading.model));
    running.write(command.input);
    if (dialect.followUp === null) this.#endInput();
    const stopTelling = desk.onFollowUp(() => {
      this.#offerFollowUps();
    });
    this.#waitForMore();
    this.#offerFollowUps();
    const end = await running.ended;
    stopTelling();
    this.#cancelTimer();
    this.#output.end();
    return { ok: true, value: this.#said(end) };
  }

  /** Words of ours to the agent; false where it cannot be told anything now. */
  public tell(text: string): boolean {
    return this.#give(text, null);
  }

  /** Ends the process; what it had said before counts no more. */
  public giveUp(failure: EngineFailure): void {
    this.#gaveUp ??= failure;
    this.#running?.stop();
  }

  /** A tool of ours works: while it does, silence means nothing. The returned function ends that. */
  public toolWorks(): () => void {
    this.#working += 1;
    this.#waitForMore();
    return () => {
      this.#working -= 1;
      this.#waitForMore();
    };
  }

  #said(end: CliEnd): Said {
    return {
      session: this.#session,
      promptTaken: this.#promptTaken,
      answered: this.#answered,
      texts: this.#texts,
      followUps: this.#followUps,
      problem: this.#problem,
      gaveUp: this.#gaveUp,
      end,
      errorOutput: this.#errorOutput,
      garbage: this.#output.garbage,
      halfLine: this.#output.endedInALine,
    };
  }

  #waitForMore(): void {
    if (this.#saidFarewell) return;
    this.#cancelTimer();
    if (this.#working > 0) return;
    this.#cancelTimer = this.#parts.clock.after(limits.silenceMs, () => {
      this.giveUp(silent(this.#parts.dialect.title));
    });
  }

  #endInput(): void {
    this.#inputEnded = true;
    this.#running?.endInput();
  }

  /** All is said; what the program does not end by itself, such as commands in the background, is ended. */
  #sayFarewell(): void {
    if (this.#saidFarewell) return;
    this.#saidFarewell = true;
    this.#endInput();
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.clock.after(limits.farewellMs, () => {
      this.#notice(`${this.#parts.dialect.title} was done, but did not end; it was ended.`);
      this.#running?.stop();
    });
  }

  #offerFollowUps(): void {
    for (const { id: message, text } of this.#parts.desk.followUps()) {
      if (!this.#offered.has(message) && this.#give(text, message)) this.#offered.add(message);
    }
  }

  #give(text: string, message: MessageId | null): boolean {
    const { dialect, newUuid } = this.#parts;
    if (dialect.followUp === null || this.#running === null || this.#inputEnded) return false;
    const id = newUuid();
    this.#open.set(id, message === null ? null : { message, text });
    this.#running.write(dialect.followUp(id, text));
    return true;
  }

  #notice(text: string): void {
    this.#parts.desk.report({ type: 'notice', text });
    this.#running?.show(renderNotice(text));
  }

  #onEvent(event: CliEvent): void {
    const { desk, clock } = this.#parts;
    this.#running?.show(render(event));
    switch (event.kind) {
      case 'session':
        this.#session = event.id;
        return;
      case 'input_taken':
        this.#onTaken(event.id ?? this.#parts.promptId);
        return;
      case 'text':
        if (event.text.trim() === '') return;
        this.#texts.push(event.text.trim());
        desk.report({ type: 'text', text: bounded(event.text, limits.shownTextCharacters) });
        return;
      case 'tool_started':
        this.#tools.set(event.id, event);
        desk.report({
          type: 'tool_started',
          id: event.id,
          tool: event.tool,
          summary: summaryOf(event.summary),
        });
        return;
      case 'tool_ended':
        this.#onToolEnded(event);
        return;
      case 'call_begun':
        this.#callBegunAt = clock.now();
        this.#parts.onCallBegun();
        return;
      case 'used':
        this.#parts.onUsed(event, Math.max(0, clock.now() - this.#callBegunAt));
        return;
      case 'notice':
        desk.report({ type: 'notice', text: firstLine(event.text, limits.quotedCharacters) });
        return;
      case 'answered':
        this.#onAnswered();
        return;
      case 'failed':
        this.#problem = event.problem;
        this.#sayFarewell();
    }
  }

  #onTaken(id: string): void {
    if (!this.#open.has(id)) return;
    const followUp = this.#open.get(id) ?? null;
    this.#open.delete(id);
    if (id === this.#parts.promptId) {
      this.#promptTaken = true;
      this.#parts.onPromptTaken(this.#session);
    }
    if (followUp === null) return;
    this.#followUps.push(followUp.text);
    this.#parts.desk.taken(followUp.message);
    this.#running?.show(renderFollowUp(followUp.text));
  }

  #onToolEnded({ id, ok, answer }: Extract<CliEvent, { kind: 'tool_ended' }>): void {
    const started = this.#tools.get(id);
    this.#tools.delete(id);
    const tool = started?.tool ?? 'a tool';
    const call = started === undefined ? tool : summaryOf(started.summary);
    this.#parts.desk.report({ type: 'tool_ended', id, tool, call, ok, summary: summaryOf(answer) });
    if (this.#loopGuard.closes({ tool, input: started?.input, answer })) this.giveUp(looped(tool));
  }

  /** A follow-up that came too late for this answer gets one of its own. */
  #onAnswered(): void {
    this.#problem = null;
    this.#offerFollowUps();
    if (this.#open.size > 0) return;
    this.#answered = true;
    this.#sayFarewell();
  }

  #keepErrorOutput(text: string): void {
    this.#errorOutput = (this.#errorOutput + text).slice(-limits.keptProblemCharacters);
  }
}

function summaryOf(text: string): string {
  return firstLine(text, limits.summaryCharacters);
}
