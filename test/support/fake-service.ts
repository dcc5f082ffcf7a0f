import type {
  FollowInput,
  FollowItem,
  MethodInput,
  MethodName,
  MethodOutput,
} from '../../src/shared/contract/contract.ts';
import type { Service } from '../../src/shared/contract/service.ts';
import type { EventView } from '../../src/shared/contract/views.ts';
import { err, ok } from '../../src/shared/kernel/result.ts';
import type { Result } from '../../src/shared/kernel/result.ts';

type Handler<N extends MethodName> = (
  input: MethodInput<N>,
) => Result<MethodOutput<N>> | Promise<Result<MethodOutput<N>>>;

/** A host in memory: a log of events, and whatever methods a test gives it. */
export class FakeService implements Service {
  readonly #handlers = new Map<string, (input: never) => unknown>();
  readonly #log: EventView[] = [];
  readonly #followers = new Set<(item: FollowItem) => void>();
  /** Methods in the order in which they were called. */
  public readonly calls: MethodName[] = [];

  public constructor() {
    this.on('events.since', ({ after, limit }) =>
      ok(this.#log.filter(({ seq }) => seq > after).slice(0, limit)),
    );
  }

  public get followers(): number {
    return this.#followers.size;
  }

  public on<N extends MethodName>(name: N, handler: Handler<N>): this {
    this.#handlers.set(name, handler);
    return this;
  }

  /** Something happens. */
  public happen(type: string, data: Record<string, unknown> = {}, task: string | null = null): void {
    const seq = this.#log.length + 1;
    const event: EventView = { seq, id: `evt_${seq}`, at: 0, type, room: null, task, turn: null, data };
    this.#log.push(event);
    for (const follower of this.#followers) follower({ event });
  }

  public async call<N extends MethodName>(name: N, input: MethodInput<N>): Promise<Result<MethodOutput<N>>> {
    this.calls.push(name);
    const handler = this.#handlers.get(name) as Handler<N> | undefined;
    if (handler === undefined) return err({ tag: 'not_here', message: `${name} is not part of this test.` });
    return handler(input);
  }

  public follow(input: FollowInput, onItem: (item: FollowItem) => void): () => void {
    const from = input.after ?? this.#log.length;
    for (const event of this.#log.slice(from)) onItem({ event });
    this.#followers.add(onItem);
    return () => {
      this.#followers.delete(onItem);
    };
  }
}
