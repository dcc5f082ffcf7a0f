import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { counted } from '../../../shared/kernel/text.ts';
import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { taskLines, taskPage } from '../rendering/pages.ts';
import { safeText } from '../rendering/values.ts';
import { withHost } from '../session.ts';
import type { Session } from '../session.ts';
import { findTask } from '../short-ids.ts';

/** Lists tasks. */
export function listTasks(call: CallOf<'tasks'>, context: Context): Promise<ExitCode> {
  const { screen } = context;
  return withHost(context, 'look', async ({ service }) => {
    const { room, open, limit } = call;
    const tasks = await service.call('tasks.list', {
      limit,
      ...(room === null ? {} : { room }),
      ...(open ? { open } : {}),
    });
    if (!tasks.ok) return tasks;
    screen.result(tasks.value, () => taskLines(tasks.value, screen.colours));
    return ok(exitCodes.done);
  });
}

/** Shows a task, or what it changes. */
export function showTask(call: CallOf<'show'>, context: Context): Promise<ExitCode> {
  const { screen } = context;
  return withTask(call.task, context, async ({ service }, task) => {
    if (call.diff) {
      const diff = await service.call('tasks.diff', { task });
      if (!diff.ok) return diff;
      screen.result(diff.value, () => (diff.value.text === '' ? [] : [safeText(diff.value.text).trimEnd()]));
      return ok(exitCodes.done);
    }
    const detail = await service.call('tasks.show', { task });
    if (!detail.ok) return detail;
    screen.result(detail.value, () => taskPage(detail.value, screen.colours));
    return ok(exitCodes.done);
  });
}

/** Brings a task's approved work into the checkout. */
export function applyTask(call: CallOf<'apply'>, context: Context): Promise<ExitCode> {
  const { screen } = context;
  return withTask(call.task, context, async ({ service }, task) => {
    const applied = await service.call('tasks.apply', { task });
    if (!applied.ok) return applied;
    const { paths } = applied.value;
    screen.result(applied.value, () => [
      paths.length === 0 ? 'The checkout has it already.' : `${counted(paths.length, 'file')} written:`,
      ...paths.map((path) => `  ${safeText(path)}`),
    ]);
    return ok(exitCodes.done);
  });
}

/** Stops a task for good. */
export function stopTask(call: CallOf<'stop'>, context: Context): Promise<ExitCode> {
  const { screen } = context;
  return withTask(call.task, context, async ({ service }, id) => {
    const stopped = await service.call('tasks.stop', { task: id });
    if (!stopped.ok) return stopped;
    const { ending } = stopped.value;
    screen.result(stopped.value, () => [
      ending === 'stopped'
        ? `Stopped. What was done is kept: tribune show ${id} --diff`
        : `There was nothing to stop: the task had ended before (${ending ?? 'unknown'}).`,
    ]);
    return ok(exitCodes.done);
  });
}

function withTask(
  text: string,
  context: Context,
  work: (session: Session, task: string) => Promise<Result<ExitCode>>,
): Promise<ExitCode> {
  return withHost(context, 'look', async (session) => {
    const task = await findTask(session.service, text);
    return task.ok ? work(session, task.value) : task;
  });
}
