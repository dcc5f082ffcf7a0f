import type { FollowInput, FollowItem } from '../../../shared/contract/contract.ts';
import type { Service } from '../../../shared/contract/service.ts';
import { describeFailure } from '../../../shared/kernel/result.ts';

/** Events that are read at once while a follower catches up. */
const CATCH_UP_PAGE = 500;

/** Where a follow's lines go. */
export interface FollowerLine {
  /** Writes an item; false where the other end has fallen too far behind for it to be kept. */
  item(item: FollowItem): boolean;
  /** Resolves when what was written has been taken over, or the line is gone. */
  drained(): Promise<void>;
  ended(reason: string): void;
}

/**
 * One follow of one connection. What happened before is read in pages, no faster than the other end takes them;
 * then what happens is passed on as it happens. A reader that falls too far behind is let go with the place
 * from which it can follow again, so that it never fills the host's memory.
 */
export class Follower {
  readonly #service: Service;
  readonly #input: FollowInput;
  readonly #line: FollowerLine;
  #ended = false;
  #release: () => void = () => undefined;
  #lastSeq: number | null;

  public constructor(service: Service, input: FollowInput, line: FollowerLine) {
    this.#service = service;
    this.#input = input;
    this.#line = line;
    this.#lastSeq = input.after ?? null;
  }

  /** Begins; returns when the past is caught up with. */
  public async start(): Promise<void> {
    if (this.#input.after !== undefined && !(await this.#catchUp(this.#input.after))) return;
    const after = this.#lastSeq === null ? {} : { after: this.#lastSeq };
    this.#release = this.#service.follow(
      { ...this.#input, ...after },
      (item) => {
        this.#pass(item);
      },
      (reason) => {
        this.end(reason);
      },
    );
    if (this.#ended) this.#release();
  }

  /** Ends it and says why; a follow that has ended stays so. */
  public end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#release();
    this.#line.ended(reason);
  }

  /** Whether it goes on to the present. */
  async #catchUp(from: number): Promise<boolean> {
    const { room, task } = this.#input;
    const filter = { ...(room === undefined ? {} : { room }), ...(task === undefined ? {} : { task }) };
    let after = from;
    while (!this.#ended) {
      const page = await this.#service.call('events.since', { ...filter, after, limit: CATCH_UP_PAGE });
      if (!page.ok) {
        this.end(describeFailure(page.failure));
        return false;
      }
      for (const event of page.value) {
        this.#pass({ event });
        await this.#line.drained();
      }
      after = page.value.at(-1)?.seq ?? after;
      if (page.value.length < CATCH_UP_PAGE) return !this.#ended;
    }
    return false;
  }

  #pass(item: FollowItem): void {
    if (this.#ended) return;
    if (!this.#line.item(item)) {
      const place = this.#lastSeq === null ? '' : ` Follow again after ${this.#lastSeq}.`;
      this.end(`The reader was too slow.${place}`);
      return;
    }
    if ('event' in item) this.#lastSeq = item.event.seq;
  }
}
