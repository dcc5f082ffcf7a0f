import type {
  CallPermit,
  EffectJournal,
  FollowUp,
  ModelCall,
  PermissionAnswer,
  PermissionWish,
  Transcript,
  TurnDesk,
  TurnEvent,
} from '../../src/main/ports/engine.ts';
import type { MessageId } from '../../src/shared/vocabulary/ids.ts';

/** What a host keeps of a session and its effects. It outlives the desks, as the store outlives the host. */
export class DeskMemory {
  public readonly entries: unknown[] = [];
  public readonly effects = new Map<string, { readonly description: string; result: string | null }>();
}

/** A desk that keeps everything in memory, by the port's rules. */
export class MemoryDesk implements TurnDesk {
  public readonly events: TurnEvent[] = [];
  public readonly calls: ModelCall[] = [];
  public readonly takenMessages: MessageId[] = [];
  public readonly memory: DeskMemory;
  public readonly transcript: Transcript;
  public readonly journal: EffectJournal;
  /** What `beforeCall` gives for the first call, the second, …; `go` after these. */
  public permits: CallPermit[] = [];
  public waiting: FollowUp[] = [];
  public readonly wishes: PermissionWish[] = [];
  /** How a person answers. */
  public answerTo: (wish: PermissionWish) => Promise<PermissionAnswer> = () =>
    Promise.resolve({ allowed: true });
  readonly #told = new Set<() => void>();
  #watching: { readonly isReached: () => boolean; readonly tell: () => void }[] = [];
  /** Called with the name of each thing that becomes durable, before and after it. */
  public onStep: (step: string) => void = () => undefined;

  public constructor(memory = new DeskMemory()) {
    this.memory = memory;
    this.transcript = {
      entries: () => structuredClone(memory.entries),
      append: (entries) => {
        this.onStep('before append');
        // As the store does: what JSON can't carry is lost.
        memory.entries.push(...(JSON.parse(JSON.stringify(entries)) as unknown[]));
        this.onStep('after append');
      },
    };
    this.journal = {
      perform: async (key, description, work) => {
        const old = memory.effects.get(key);
        if (old !== undefined)
          return old.result === null ? { kind: 'unknown' } : { kind: 'done', result: old.result };
        this.onStep('before effect');
        const effect = { description, result: null as string | null };
        memory.effects.set(key, effect);
        this.onStep('in effect');
        const result = await work();
        this.onStep('after work');
        effect.result = result;
        this.onStep('after effect');
        return { kind: 'done', result };
      },
    };
  }

  public report(event: TurnEvent): void {
    this.events.push(event);
    for (const { isReached, tell } of this.#watching) if (isReached()) tell();
  }

  /** Resolves when so many events of this type have been reported. */
  public reported(type: TurnEvent['type'], count = 1): Promise<void> {
    const isReached = (): boolean => this.events.filter((event) => event.type === type).length >= count;
    if (isReached()) return Promise.resolve();
    return new Promise((tell) => {
      this.#watching.push({ isReached, tell });
    });
  }

  public beforeCall(): CallPermit {
    return this.permits.shift() ?? { kind: 'go' };
  }

  public recordCall(call: ModelCall): void {
    this.calls.push(call);
  }

  public followUps(): readonly FollowUp[] {
    return this.waiting.filter(({ id }) => !this.takenMessages.includes(id));
  }

  public onFollowUp(tell: () => void): () => void {
    this.#told.add(tell);
    return () => this.#told.delete(tell);
  }

  /** A message arrives while the turn runs. */
  public offer(followUp: FollowUp): void {
    this.waiting.push(followUp);
    for (const tell of this.#told) tell();
  }

  public async askPermission(wish: PermissionWish): Promise<PermissionAnswer> {
    this.wishes.push(wish);
    return this.answerTo(wish);
  }

  public taken(message: MessageId): void {
    this.onStep('before taken');
    this.takenMessages.push(message);
  }
}
