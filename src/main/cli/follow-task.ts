import { err, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { EscalationView, TaskDetail } from '../../shared/contract/views.ts';
import { askPerson } from './ask-person.ts';
import type { Context } from './context.ts';
import { exitCodeOfEnding, exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { Happenings } from './happenings.ts';
import { endPage, questionPage } from './rendering/pages.ts';
import { isPermission } from './rendering/questions.ts';
import type { Session } from './session.ts';
import { TaskWatch } from './task-watch.ts';

/**
 * Begins something and follows its task until it has ended, waits for a person, or the command is interrupted.
 * A person at the terminal is asked right there.
 */
export async function followTask(
  context: Context,
  session: Session,
  options: { readonly room: string; readonly verbose: boolean },
  begin: () => Promise<Result<string>>,
): Promise<Result<ExitCode>> {
  if (context.interruption.aborted) return ok(exitCodes.interrupted);
  const happenings = new Happenings(session.service, options.room);
  const onInterrupt = (): void => {
    happenings.end('Interrupted.');
  };
  context.interruption.addEventListener('abort', onInterrupt);
  try {
    const task = await begin();
    if (!task.ok) return task;
    return await new Following(context, session, happenings, task.value, options.verbose).toItsEnd();
  } finally {
    context.interruption.removeEventListener('abort', onInterrupt);
    happenings.close();
  }
}

class Following {
  readonly #context: Context;
  readonly #session: Session;
  readonly #happenings: Happenings;
  readonly #task: string;
  readonly #verbose: boolean;

  public constructor(
    context: Context,
    session: Session,
    happenings: Happenings,
    task: string,
    verbose: boolean,
  ) {
    this.#context = context;
    this.#session = session;
    this.#happenings = happenings;
    this.#task = task;
    this.#verbose = verbose;
  }

  public async toItsEnd(): Promise<Result<ExitCode>> {
    const { screen, interruption } = this.#context;
    let watch: TaskWatch | null = null;
    for (;;) {
      const shown = await this.#session.service.call('tasks.show', { task: this.#task });
      if (!shown.ok) return shown;
      const detail = shown.value;
      watch ??= new TaskWatch(this.#context, detail, this.#verbose);
      try {
        const turned = watch.tell(this.#happenings.take());
        if (detail.task.state === 'completed') {
          watch.hide();
          screen.result(detail, () => endPage(detail, screen.colours));
          return ok(exitCodeOfEnding(detail.task.ending));
        }
        if (interruption.aborted) return this.#interrupted(watch, detail);
        // What was shown may be older than what was told since: look again.
        if (turned) continue;
        if (detail.escalation !== null) {
          watch.hide();
          const handled = await this.#handleQuestion(detail, detail.escalation, watch);
          if (handled !== 'go on') return handled;
        } else if (!(await this.#untilTurningPoint(watch))) {
          return err(hostGone(this.#task, this.#happenings.ended ?? ''));
        }
      } finally {
        watch.hide();
      }
    }
  }

  /** Tells what happens until the task may have ended or wait; false where there is nothing more to hear. */
  async #untilTurningPoint(watch: TaskWatch): Promise<boolean> {
    watch.paint();
    for (;;) {
      await this.#happenings.some();
      if (watch.tell(this.#happenings.take())) return true;
      if (this.#context.interruption.aborted) return true;
      if (this.#happenings.ended !== null) return false;
    }
  }

  async #handleQuestion(
    detail: TaskDetail,
    escalation: EscalationView,
    watch: TaskWatch,
  ): Promise<'go on' | Result<ExitCode>> {
    const { screen, person, interruption } = this.#context;
    if (screen.interactive && person.atTerminal) {
      const withdrawn = new AbortController();
      this.#happenings.onItem = (item) => {
        if ('event' in item && item.event.task === this.#task && item.event.type === 'escalation.closed') {
          withdrawn.abort();
        }
      };
      const given = await askPerson(
        this.#context,
        escalation,
        AbortSignal.any([interruption, withdrawn.signal]),
      );
      this.#happenings.onItem = () => undefined;
      if (withdrawn.signal.aborted) {
        screen.tell(['The question was answered elsewhere.']);
        return 'go on';
      }
      if (interruption.aborted) return 'go on';
      if (given !== null) return this.#answer(escalation, given);
    }
    if (isPermission(escalation) && !this.#session.running) {
      // The turn that asks would end with the host that this command has opened.
      screen.tell(['', ...questionPage(escalation, screen.colours)]);
      const heard = await this.#untilTurningPoint(watch);
      return heard ? 'go on' : err(hostGone(this.#task, this.#happenings.ended ?? ''));
    }
    screen.result(detail, () => ['', ...questionPage(escalation, screen.colours)]);
    return ok(exitCodes.waitsForPerson);
  }

  /** An answer that is refused is no end: what is asked now is shown again. */
  async #answer(
    { id, shown }: EscalationView,
    given: { readonly answer: EscalationView['answers'][number]; readonly text: string },
  ): Promise<'go on'> {
    const input = { escalation: id, ...given, criteria: [], dropped: [], shown };
    const answered = await this.#session.service.call('escalations.answer', input);
    if (!answered.ok) this.#context.screen.fail(answered.failure);
    return 'go on';
  }

  #interrupted(watch: TaskWatch, detail: TaskDetail): Result<ExitCode> {
    const { screen } = this.#context;
    watch.hide();
    const whatNow = this.#session.running
      ? 'The host goes on with the task.'
      : 'The task stays as it is, and goes on with the next host (`tribune start`).';
    screen.result(detail, () => ['', whatNow, `To stop it for good: tribune stop ${this.#task}`]);
    return ok(exitCodes.interrupted);
  }
}

function hostGone(task: string, reason: string) {
  return {
    tag: 'connection_lost',
    message: `The task cannot be followed any more: ${reason}`,
    next: `See how it stands with: tribune show ${task}`,
  };
}
