import { resolve } from 'node:path';
import { makeReviewerImage } from '../../app/reviewer-image.ts';
import type { BuildProgress } from '../../app/reviewer-image.ts';
import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { buildLine, imageLines } from '../rendering/image.ts';

/** The running time beside the bar moves on once a second. */
const REPAINT_MS = 1_000;

/** Builds the image that reviewers are sealed in. */
export async function buildImage(call: CallOf<'build-image'>, context: Context): Promise<ExitCode> {
  const { screen, environment, directory, interruption } = context;
  const { base, mirror, registry, ca } = call;
  const certificates = ca === null ? null : resolve(directory, ca);
  const watch = new BuildWatch(context);
  const made = await makeReviewerImage(
    { base, mirror, registry, certificates, environment },
    (progress) => {
      watch.tell(progress);
    },
    interruption,
  );
  watch.hide();
  if (!made.ok) {
    screen.fail(made.failure);
    return made.failure.tag === 'stopped' ? exitCodes.interrupted : exitCodes.failed;
  }
  screen.result(made.value, () => imageLines(made.value, screen.colours));
  return exitCodes.done;
}

/** Shows a build as it goes on: a bar on a terminal, else a line for everything that begins. */
class BuildWatch {
  readonly #context: Context;
  readonly #startedAt: number;
  #progress: BuildProgress | null = null;
  #cancelRepaint: () => void = () => undefined;

  public constructor(context: Context) {
    this.#context = context;
    this.#startedAt = context.clock.now();
  }

  public tell(progress: BuildProgress): void {
    const isNew = progress.doing !== this.#progress?.doing;
    const hasMoved = isNew || progress.step !== this.#progress?.step;
    this.#progress = progress;
    const { screen } = this.#context;
    if (screen.interactive) {
      if (hasMoved) this.#paint(progress);
    } else if (isNew) {
      screen.tell([`${progress.doing} …`]);
    }
  }

  public hide(): void {
    this.#cancelRepaint();
    this.#context.screen.status(null);
  }

  #paint(progress: BuildProgress): void {
    const { screen, clock } = this.#context;
    this.#cancelRepaint();
    screen.status(buildLine(progress, clock.now() - this.#startedAt, screen.columns - 1));
    this.#cancelRepaint = clock.after(REPAINT_MS, () => {
      this.#paint(progress);
    });
  }
}
