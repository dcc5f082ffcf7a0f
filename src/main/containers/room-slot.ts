import type { Clock } from '../../shared/kernel/clock.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { CliFailure } from '../ports/coding-cli.ts';
import type { RoomContainer } from './room-container.ts';

/** How long a slot keeps its container, and who is told what is left. */
export interface RoomSlotOptions {
  readonly clock: Clock;
  /** How long a container waits for the room's next turn, in milliseconds. */
  readonly idleMs: number;
  /** Told of a container that could not be removed; it is left for the next boot to find. */
  onLeft(thrown: unknown): void;
}

/** A room's one container, between its turns too. */
export class RoomSlot {
  readonly #options: RoomSlotOptions;
  #container: RoomContainer | null = null;
  #taken = false;
  #cancelIdle = (): void => undefined;
  #last: Promise<unknown> = Promise.resolve();

  public constructor(options: RoomSlotOptions) {
    this.#options = options;
  }

  /** Takes the container for a turn: the one that waits, where it is still what is wanted, or a new one. */
  public take(
    isWanted: (container: RoomContainer) => Promise<boolean>,
    make: () => Promise<Result<RoomContainer, CliFailure>>,
  ): Promise<Result<RoomContainer, CliFailure>> {
    return this.#serially(async () => {
      if (this.#taken) throw new Error('Two turns of one room cannot be sealed at the same time.');
      this.#cancelIdle();
      const waiting = this.#container;
      if (waiting !== null && (await isWanted(waiting))) {
        this.#taken = true;
        return { ok: true, value: waiting };
      }
      await this.#remove();
      const made = await make();
      if (made.ok) {
        this.#container = made.value;
        this.#taken = true;
      }
      return made;
    });
  }

  /** Gives the container back after a turn. */
  public async giveBack(): Promise<void> {
    this.#taken = false;
    if (this.#container?.hasEnded === true) {
      await this.remove();
      return;
    }
    this.#cancelIdle = this.#options.clock.after(this.#options.idleMs, () => {
      void this.#serially(() => (this.#taken ? Promise.resolve() : this.#remove()));
    });
  }

  /** Removes the container, whoever has it. */
  public remove(): Promise<void> {
    return this.#serially(() => this.#remove());
  }

  async #remove(): Promise<void> {
    this.#cancelIdle();
    const container = this.#container;
    this.#container = null;
    if (container === null) return;
    try {
      await container.remove();
    } catch (thrown) {
      this.#options.onLeft(thrown);
    }
  }

  #serially<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
