import { CoolDowns } from './cool-downs.ts';
import { Effects } from './effects.ts';
import { Escalations } from './escalations.ts';
import { Events } from './events.ts';
import { Jobs } from './jobs.ts';
import { Messages } from './messages.ts';
import { ModelCalls } from './model-calls.ts';
import { Outbox } from './outbox.ts';
import { Permissions } from './permissions.ts';
import { Rooms } from './rooms.ts';
import { Sessions } from './sessions.ts';
import { Snapshots } from './snapshots.ts';
import type { StoreContext } from './store-context.ts';
import { TaskViews } from './task-views.ts';
import { Tasks } from './tasks.ts';
import { Turns } from './turns.ts';
import { Verdicts } from './verdicts.ts';

/**
 * Everything that Tribune remembers. All methods are synchronous and durable when they return, or when the
 * transaction around them has. Where the database fails (disk full, locked, damaged) they throw `StoreError`.
 */
export class Store {
  public readonly coolDowns: CoolDowns;
  public readonly effects: Effects;
  public readonly escalations: Escalations;
  public readonly events: Events;
  public readonly jobs: Jobs;
  public readonly messages: Messages;
  public readonly modelCalls: ModelCalls;
  public readonly outbox: Outbox;
  public readonly permissions: Permissions;
  public readonly rooms: Rooms;
  public readonly sessions: Sessions;
  public readonly snapshots: Snapshots;
  public readonly tasks: Tasks;
  public readonly turns: Turns;
  public readonly verdicts: Verdicts;
  public readonly views: TaskViews;
  readonly #context: StoreContext;
  readonly #close: () => void;
  #closed = false;

  public constructor(context: StoreContext, close: () => void) {
    this.#context = context;
    this.#close = close;
    this.coolDowns = new CoolDowns(context);
    this.effects = new Effects(context);
    this.escalations = new Escalations(context);
    this.events = new Events(context);
    this.jobs = new Jobs(context);
    this.messages = new Messages(context);
    this.modelCalls = new ModelCalls(context);
    this.outbox = new Outbox(context, this.messages);
    this.permissions = new Permissions(context);
    this.rooms = new Rooms(context);
    this.sessions = new Sessions(context);
    this.snapshots = new Snapshots(context);
    this.turns = new Turns(context);
    this.verdicts = new Verdicts(context);
    this.tasks = new Tasks(context, {
      turns: this.turns,
      escalations: this.escalations,
      modelCalls: this.modelCalls,
    });
    this.views = new TaskViews(context, {
      turns: this.turns,
      verdicts: this.verdicts,
      modelCalls: this.modelCalls,
    });
  }

  /**
   * Runs synchronous work as one transaction: all that it writes becomes durable together, or none of it. Within
   * another transaction it joins that one; if it then throws, the outer one cannot commit either.
   * @throws whatever the work throws, and {StoreError} where the database fails.
   */
  public transaction<T>(work: () => T): T {
    return this.#context.connection.transaction(work);
  }

  /** Calls back once the running transaction has committed, never if it is rolled back; at once outside of one. */
  public afterCommit(callback: () => void): void {
    this.#context.connection.afterCommit(callback);
  }

  /**
   * Ends in good order and lets go of the data directory, also where it throws `StoreError` because the end could
   * not be written down. Closing again does nothing.
   */
  public close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#close();
  }
}
