import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { TaskDetail } from '../../../shared/contract/views.ts';
import type { TaskId } from '../../../shared/vocabulary/ids.ts';
import type { Diff } from '../../ports/workspace.ts';
import { unifiedDiff } from '../../rooms/diff-text.ts';
import { findRoom, findTask, notFound } from './handler.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { escalationView, taskView, turnView } from './views.ts';

export function taskHandlers(context: HandlerContext): Handlers<'tasks'> {
  const { store } = context.parts;
  return {
    'tasks.list': ({ room: name, open, limit }) => {
      const room = name === undefined ? ok(null) : findRoom(context, name);
      if (!room.ok) return room;
      const list = store.views.list({
        ...(room.value === null ? {} : { roomId: room.value.id }),
        ...(open === undefined ? {} : { onlyOpen: open }),
        limit,
      });
      return ok(list.map((task) => taskView(store, task)));
    },
    'tasks.show': async ({ task }) => {
      const id = findTask(context, task);
      return id.ok ? detailOf(context, id.value) : id;
    },
    'tasks.diff': async ({ task }) => {
      const id = findTask(context, task);
      if (!id.ok) return id;
      const diff = await diffOf(context, id.value);
      return diff.ok ? ok({ text: unifiedDiff(diff.value) }) : diff;
    },
    'tasks.stop': ({ task }) => {
      const id = findTask(context, task);
      if (!id.ok) return id;
      context.requests.stop(id.value);
      const summary = store.views.task(id.value);
      return summary === null ? err(gone(task)) : ok(taskView(store, summary));
    },
    'tasks.apply': async ({ task }) => {
      const id = findTask(context, task);
      if (!id.ok) return id;
      const applied = await context.applies.apply(id.value);
      return applied.ok ? ok({ paths: [...applied.value.paths] }) : applied;
    },
  };
}

async function detailOf(context: HandlerContext, id: TaskId): Promise<Result<TaskDetail>> {
  const { store } = context.parts;
  const task = store.tasks.load(id);
  const summary = store.views.task(id);
  if (task === null || summary === null) return err(gone(id));
  const diff = await diffOf(context, id);
  if (!diff.ok) return diff;
  const escalation = store.escalations.openOf(id);
  const taken = store.snapshots.ofTask(id);
  return ok({
    task: taskView(store, summary),
    request: task.request,
    criteria: task.criteria.map((criterion) => ({ ...criterion })),
    findings: task.findings.map((finding) => ({ ...finding })),
    ruling: task.ruling,
    turns: store.views.turnsOf(id).map(turnView),
    escalation: escalation === null ? null : escalationView(store, escalation),
    base: task.base,
    content: task.content,
    approved: task.approved,
    leftOut: taken.findLast((snapshot) => snapshot.id === task.content)?.leftOut ?? [],
    changes: diff.value.files.map(({ path, previousPath, change, binary, additions, deletions }) => ({
      path,
      previousPath,
      change,
      binary,
      additions,
      deletions,
    })),
  });
}

/** What the task has changed so far; nothing before the owner's first turn has ended. */
async function diffOf({ parts }: HandlerContext, id: TaskId): Promise<Result<Diff>> {
  const task = parts.store.tasks.load(id);
  const room = task === null ? null : parts.store.rooms.byId(task.roomId);
  if (task === null || room === null) return err(gone(id));
  const content = task.approved ?? task.content;
  if (task.base === null || content === null) return ok({ files: [], additions: 0, deletions: 0 });
  return parts.workspaceOf(room).diff(task.base, content);
}

function gone(id: string): ReturnType<typeof notFound> {
  return notFound(`There is no task "${id}".`, 'List them with `tribune tasks`.');
}
