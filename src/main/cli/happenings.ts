import type { FollowItem } from '../../shared/contract/contract.ts';
import type { Service } from '../../shared/contract/service.ts';

/** What happens in a room from now on, kept until it is looked at. */
export class Happenings {
  readonly #items: FollowItem[] = [];
  readonly #unfollow: () => void;
  #ended: string | null = null;
  #wake: () => void = () => undefined;

  /** Called for each thing as it happens, before it is looked at. */
  public onItem: (item: FollowItem) => void = () => undefined;

  public constructor(service: Service, room: string) {
    this.#unfollow = service.follow(
      { room },
      (item) => {
        this.#items.push(item);
        this.onItem(item);
        this.#wake();
      },
      (reason) => {
        this.end(reason);
      },
    );
  }

  /** Why there will be no more; null as long as there may be. */
  public get ended(): string | null {
    return this.#ended;
  }

  /** What has happened since it was last looked at. */
  public take(): FollowItem[] {
    return this.#items.splice(0);
  }

  /** Resolves when there is something to take, or there will be no more. */
  public async some(): Promise<void> {
    if (this.#items.length > 0 || this.#ended !== null) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** No more is wanted, or there is no more. */
  public end(reason: string): void {
    this.#ended ??= reason;
    this.#wake();
  }

  public close(): void {
    this.end('Closed.');
    this.#unfollow();
  }
}
