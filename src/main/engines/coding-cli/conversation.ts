import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { bounded, firstLine } from '../../../shared/kernel/text.ts';
import type { CliEnd, CliFailure, CliPlace, RunningCli } from '../../ports/coding-cli.ts';
import type { EngineFailure, TurnDesk } from '../../ports/engine.ts';
import { LoopGuard, looped } from '../loop-guard.ts';
import type { CliCommand, CliDialect, CliEvent, CliProblem, CliUsage } from './dialect.ts';
import { silent, tooLongALine } from './faults.ts';
import { Inputs } from './inputs.ts';
import { limits } from './limits.ts';
import { Patience } from './patience.ts';
import { ProgramOutput } from './program-output.ts';
import { render, renderFollowUp, renderNotice, renderStart } from './rendering.ts';

/** One launch of a program, and who is told what comes of it. */
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
  readonly #inputs: Inputs;
  readonly #patience: Patience;
  readonly #tools = new Map<string, Extract<CliEvent, { kind: 'tool_started' }>>();
  readonly #texts: string[] = [];
  readonly #followUps: string[] = [];
  #running: RunningCli | null = null;
  #session: string | null = null;
  #promptTaken = false;
  #answered = false;
  #problem: CliProblem | null = null;
  #gaveUp: EngineFailure | null = null;
  #errorOutput = '';
  #callBegunAt: number;

  public constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#callBegunAt = parts.clock.now();
    this.#inputs = new Inputs(parts);
    this.#patience = new Patience(parts.clock, () => {
      this.giveUp(silent(parts.dialect.title));
    });
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
          this.#patience.renew();
          this.#output.push(chunk);
        },
        onProblem: (chunk) => {
          this.#patience.renew();
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
    this.#inputs.begin(running, command.input);
    const stopTelling = desk.onFollowUp(() => {
      this.#inputs.offerFollowUps();
    });
    this.#patience.renew();
    this.#inputs.offerFollowUps();
    const end = await running.ended;
    stopTelling();
    this.#patience.end();
    this.#output.end();
    return { ok: true, value: this.#said(end) };
  }

  /** Words of ours to the agent; false where it cannot be told anything now. */
  public tell(text: string): boolean {
    return this.#inputs.tell(text);
  }

  /** Ends the process; what it had said before counts no more. */
  public giveUp(failure: EngineFailure): void {
    this.#gaveUp ??= failure;
    this.#running?.stop();
  }

  /** A tool of ours works: while it does, silence means nothing. The returned function ends that. */
  public toolWorks(): () => void {
    return this.#patience.toolWorks();
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

  /** All is said; what the program does not end by itself, such as commands in the background, is ended. */
  #sayFarewell(): void {
    if (this.#patience.saidFarewell) return;
    this.#inputs.end();
    this.#patience.sayFarewell(() => {
      this.#notice(`${this.#parts.dialect.title} was done, but did not end; it was ended.`);
      this.#running?.stop();
    });
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
    if (!this.#inputs.isOpen(id)) return;
    const followUp = this.#inputs.take(id);
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
    this.#inputs.offerFollowUps();
    if (!this.#inputs.allTaken) return;
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
