import type { CallPermit, TurnDesk } from '../../ports/engine.ts';
import { budgetUsedUp } from '../budget-failure.ts';
import type { CliConversation } from './conversation.ts';
import type { CliUsage } from './dialect.ts';
import { wrapUpNote } from './notes.ts';

/** What the budget of a turn's model calls depends on. */
export interface CallBudgetParts {
  readonly desk: TurnDesk;
  /** What people call the program. */
  readonly title: string;
  /** Whether calls go past the gate, which else asks before each and counts what it took. */
  readonly byOwnLogin: boolean;
  /** What runs now; null before the first launch. */
  readonly conversation: () => CliConversation | null;
}

/** Holds the model calls of a program to the task's budget, and has it wrap up where that is used up. */
export class CallBudget {
  readonly #parts: CallBudgetParts;
  #callsBegun = 0;
  #toldToWrapUp = false;

  public constructor(parts: CallBudgetParts) {
    this.#parts = parts;
  }

  /** Before a launch: null where the gate will be asked, before each of its calls. */
  public permitLaunch(): CallPermit | null {
    this.#callsBegun = 0;
    return this.#parts.byOwnLogin ? this.#parts.desk.beforeCall() : null;
  }

  /** Before each call: asked by the gate, or where the program's own events tell of one. */
  public permit(): CallPermit {
    const { desk, title, conversation } = this.#parts;
    const permit = desk.beforeCall();
    if (permit.kind === 'refused') conversation()?.giveUp(budgetUsedUp(permit));
    if (permit.kind === 'wrap_up' && !this.#toldToWrapUp) {
      this.#toldToWrapUp = true;
      if (conversation()?.tell(wrapUpNote(permit)) !== true) {
        const text = `The budget (${permit.limit}) is used up. ${title} cannot be told while it runs; it is ended when the grace is over.`;
        desk.report({ type: 'notice', text });
      }
    }
    return permit;
  }

  /** The program says that a call begins. The first of a launch was allowed before it. */
  public onCallBegun(): void {
    if (!this.#parts.byOwnLogin) return;
    this.#callsBegun += 1;
    if (this.#callsBegun > 1) this.permit();
  }

  /** The program says what it used. */
  public onUsed({ model, usd, ...tokens }: CliUsage, durationMs: number): void {
    if (!this.#parts.byOwnLogin) return;
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
}
