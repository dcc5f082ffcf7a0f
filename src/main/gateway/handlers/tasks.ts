import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { TaskDetail } from '../../../shared/contract/views.ts';
import { isApplicable } from '../../domain/tribunal/finished.ts';
import type { Task } from '../../domain/tribunal/task.ts';
import type { Diff } from '../../ports/workspace.ts';
import { unifiedDiff } from '../../rooms/diff-text.ts';
import { findRoom, findTask } from './handler.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { escalationView, taskView, turnView, summaryView } from './views.ts';

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
      return ok(list.map((task) => summaryView(store, task)));
    },
    'tasks.show': async ({ task }) => {
      const found = findTask(context, task);
      return found.ok ? detailOf(context, found.value) : found;
    },
    'tasks.diff': async ({ task }) => {
      const found = findTask(context, task);
      if (!found.ok) return found;
      const diff = await diffOf(context, found.value);
      return diff.ok ? ok({ text: unifiedDiff(diff.value) }) : diff;
    },
    'tasks.stop': ({ task }) => {
      const found = findTask(context, task);
      if (!found.ok) return found;
      context.requests.stop(found.value.id);
      return ok(taskView(store, found.value.id));
    },
    'tasks.apply': async ({ task }) => {
      const found = findTask(context, task);
      if (!found.ok) return found;
      const applied = await context.applies.apply(found.value.id);
      return applied.ok ? ok({ paths: [...applied.value.paths] }) : applied;
    },
  };
}

async function detailOf(context: HandlerContext, task: Task): Promise<Result<TaskDetail>> {
  const { store } = context.parts;
  const { id } = task;
  const diff = await diffOf(context, task);
  if (!diff.ok) return diff;
  const view = taskView(store, id);
  const escalation = store.escalations.openOf(id) ?? store.permissions.openOf(id);
  const taken = store.snapshots.ofTask(id);
  const work = workOf(context, task);
  return ok({
    task: view,
    request: task.request,
    criteria: task.criteria.map((criterion) => ({ ...criterion })),
    findings: task.findings.map((finding) => ({ ...finding })),
    ruling: task.ruling,
    turns: store.views.turnsOf(id).map(turnView),
    escalation: escalation === null ? null : escalationView(store, escalation),
    base: task.base,
    content: task.content,
    approved: task.approved,
    applicable: isApplicable(task, view.appliedAt),
    standsOn: store.tasks.chainOf(task.id).flatMap((earlier) => {
      const summary = earlier === task.id ? null : store.views.task(earlier);
      return summary === null ? [] : [{ id: earlier, title: summary.title, ending: summary.ending }];
    }),
    leftOut: taken.findLast((snapshot) => snapshot.id === work)?.leftOut ?? [],
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

/**
 * What there is of the task's work: what was approved, else what the owner's last turn made. Of a stopped task it is
 * what was kept then, in the middle of a turn; null before there is anything.
 */
function workOf({ parts }: HandlerContext, task: Task): SnapshotId | null {
  const newest = parts.store.snapshots.ofTask(task.id).findLast(({ kind }) => kind !== 'base');
  const kept = task.ending === 'stopped' ? (newest?.id ?? null) : null;
  return kept ?? task.approved ?? task.content;
}

/** What the task has changed so far. */
async function diffOf(context: HandlerContext, task: Task): Promise<Result<Diff>> {
  const { parts } = context;
  const room = parts.store.rooms.byId(task.roomId);
  if (room === null) throw new Error(`${task.id} belongs to no room.`);
  const work = workOf(context, task);
  if (task.base === null || work === null) return ok({ files: [], additions: 0, deletions: 0 });
  return parts.workspaceOf(room).diff(task.base, work);
}
