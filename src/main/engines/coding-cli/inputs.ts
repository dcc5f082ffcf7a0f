import type { MessageId } from '../../../shared/vocabulary/ids.ts';
import type { RunningCli } from '../../ports/coding-cli.ts';
import type { TurnDesk } from '../../ports/engine.ts';
import type { CliDialect } from './dialect.ts';

/** What inputs need of their conversation. */
export interface InputsParts {
  readonly dialect: CliDialect;
  readonly desk: TurnDesk;
  readonly newUuid: () => string;
  /** The id of the prompt among the inputs. */
  readonly promptId: string;
}

/** A message that came while the program worked. */
interface FollowUpInput {
  readonly message: MessageId;
  readonly text: string;
}

/** What one process is told. Each input is open until the process says that it is in its conversation. */
export class Inputs {
  readonly #parts: InputsParts;
  /** Open inputs by their ids: a follow-up, or null for words of ours. */
  readonly #open = new Map<string, FollowUpInput | null>();
  readonly #offered = new Set<MessageId>();
  #running: RunningCli | null = null;
  #ended = false;

  public constructor(parts: InputsParts) {
    this.#parts = parts;
    this.#open.set(parts.promptId, null);
  }

  /** The prompt, with which everything begins. */
  public begin(running: RunningCli, prompt: string): void {
    this.#running = running;
    running.write(prompt);
    if (this.#parts.dialect.followUp === null) this.end();
  }

  /** Gives it the messages that came and that it was not given yet. */
  public offerFollowUps(): void {
    for (const { id: message, text } of this.#parts.desk.followUps()) {
      if (!this.#offered.has(message) && this.#give(text, { message, text })) this.#offered.add(message);
    }
  }

  /** Words of ours to the agent; false where it cannot be told anything now. */
  public tell(text: string): boolean {
    return this.#give(text, null);
  }

  /** The input is in the conversation. Gives the follow-up that it was, else null. */
  public take(id: string): FollowUpInput | null {
    const followUp = this.#open.get(id) ?? null;
    this.#open.delete(id);
    return followUp;
  }

  public isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  public get allTaken(): boolean {
    return this.#open.size === 0;
  }

  /** Nothing more is given. */
  public end(): void {
    this.#ended = true;
    this.#running?.endInput();
  }

  #give(text: string, followUp: FollowUpInput | null): boolean {
    const { dialect, newUuid } = this.#parts;
    if (dialect.followUp === null || this.#running === null || this.#ended) return false;
    const id = newUuid();
    this.#open.set(id, followUp);
    this.#running.write(dialect.followUp(id, text));
    return true;
  }
}
