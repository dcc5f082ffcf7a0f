import type { FollowItem } from '../../shared/contract/contract.ts';
import type { TaskDetail } from '../../shared/contract/views.ts';
import type { EventType } from '../../shared/vocabulary/event-types.ts';
import type { Context } from './context.ts';
import { progressAfter, progressFrom, progressLine } from './rendering/progress.ts';
import type { Progress } from './rendering/progress.ts';
import { storyOf } from './rendering/story.ts';

/** The running time on the status line moves on once a second. */
const REPAINT_MS = 1_000;

/** A flood of output repaints the status line no more often than this. */
const MIN_REPAINT_MS = 100;

/** Events after which a followed task may have ended, or may wait for a person or no longer do so. */
const turningPoints: ReadonlySet<string> = new Set<EventType>([
  'task.completed',
  'escalation.asked',
  'escalation.closed',
]);

/** Tells the story of a task as it happens, with a status line under it. */
export class TaskWatch {
  readonly #context: Context;
  readonly #task: string;
  readonly #verbose: boolean;
  #progress: Progress;
  #paintedAt = 0;
  #cancelRepaint: () => void = () => undefined;

  public constructor(context: Context, { task, turns }: TaskDetail, verbose: boolean) {
    this.#context = context;
    this.#task = task.id;
    this.#verbose = verbose;
    this.#progress = progressFrom(task.spent, turns, context.clock.now());
  }

  /** Tells what happened; gives whether the task may now have ended or wait for a person. */
  public tell(items: readonly FollowItem[]): boolean {
    const own = items.filter((item) => this.#isOwn(item));
    for (const item of own) {
      this.#progress = progressAfter(this.#progress, item);
      if ('event' in item) this.#context.screen.tell(storyOf(item.event, this.#style()));
    }
    if (this.#context.clock.now() - this.#paintedAt >= MIN_REPAINT_MS) this.paint();
    return own.some((item) => 'event' in item && turningPoints.has(item.event.type));
  }

  /** Shows the status line, and keeps its time moving until it is hidden. */
  public paint(): void {
    const { screen, clock } = this.#context;
    if (!screen.interactive) return;
    this.#cancelRepaint();
    this.#paintedAt = clock.now();
    screen.status(progressLine(this.#progress, this.#paintedAt, screen.columns - 1));
    this.#cancelRepaint = clock.after(REPAINT_MS, () => {
      this.paint();
    });
  }

  public hide(): void {
    this.#cancelRepaint();
    this.#context.screen.status(null);
  }

  #isOwn(item: FollowItem): boolean {
    return ('event' in item ? item.event.task : item.live.task) === this.#task;
  }

  #style() {
    return { colours: this.#context.screen.colours, verbose: this.#verbose };
  }
}
