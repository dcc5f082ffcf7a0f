import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { SnapshotId } from '../../../shared/vocabulary/ids.ts';
import type { LiveTurn, Task } from '../../domain/tribunal/task.ts';
import type { TaskChanges } from '../../ports/engine.ts';
import type { OpenWorkspace, Workspace } from '../../ports/workspace.ts';
import type { Room } from '../../store/rooms.ts';
import type { Turn } from '../../store/turns.ts';
import type { Parts } from '../parts.ts';
import { promptDiff } from '../diff-text.ts';
import type { PromptDiff } from '../diff-text.ts';
import { namedOnce, secretShaped } from '../prompts/not-seen.ts';
import type { NotSeen } from '../prompts/not-seen.ts';
import type { PromptMaterial, TurnAccount } from '../prompts/turn-prompt.ts';

/** What is known of the session that a turn is told in. */
export interface TurnSession {
  readonly nonce: string;
  /** The session holds what its earlier turns were told. */
  readonly remembers: boolean;
  /** Files of the work that are not in the place where the agent's program runs. */
  readonly notLaidOut: readonly NotSeen[];
  /** The owner's place, where an earlier try was cut off and its session cannot go on. */
  readonly begunBefore: OpenWorkspace | null;
}

/** Gathers what a turn is told. */
export async function promptMaterial(
  parts: Parts,
  room: Room,
  task: Task,
  turn: LiveTurn,
  session: TurnSession,
): Promise<Result<PromptMaterial>> {
  const { store } = parts;
  const { nonce, remembers, begunBefore } = session;
  const changes = await changesShown(parts, room, task, turn, session);
  if (!changes.ok) return changes;
  return ok({
    task,
    turn,
    nonce,
    messages: turn.messages.map((id) => store.messages.byId(id)?.payload.text ?? ''),
    history: store.turns.ofTask(task.id).flatMap((past) => accountsOf(parts, past)),
    changes: changes.value.text,
    notSeen: namedOnce([...filesNotSeen(parts, task, turn, session), ...changes.value.notShown]),
    dependencies: room.settings.dependencies,
    remembers,
    startedOver: begunBefore !== null,
  });
}

/** What the names of the owner's snapshots begin with. */
const ROUND = 'round-';

/** The task's snapshots as something to compare, in the order of its rounds. */
export function taskChanges(parts: Parts, workspace: Workspace, task: Task): TaskChanges | undefined {
  const rounds = parts.store.snapshots
    .ofTask(task.id)
    .filter((snapshot) => snapshot.kind === 'content')
    .map((snapshot) => snapshot.id);
  if (task.base === null || rounds.length === 0) return undefined;
  const ids = new Map<string, SnapshotId>([['base', task.base]]);
  rounds.forEach((id, index) => ids.set(`${ROUND}${index + 1}`, id));
  return {
    points: [...ids.keys()].map((name) => ({
      name,
      description:
        name === 'base'
          ? 'what the task started from'
          : `the owner's work, snapshot ${name.slice(ROUND.length)} of ${rounds.length}`,
    })),
    async diff(from, to, path) {
      const [fromId, toId] = [ids.get(from), ids.get(to)];
      if (fromId === undefined || toId === undefined) {
        const message = `There is no such point. The points are: ${[...ids.keys()].join(', ')}.`;
        return err({ tag: 'unknown_snapshot', message });
      }
      const diff = await workspace.diff(fromId, toId);
      if (!diff.ok) return diff;
      const files = diff.value.files.filter(
        (file) => path === undefined || file.path === path || file.path.startsWith(`${path}/`),
      );
      const additions = files.reduce((sum, file) => sum + file.additions, 0);
      const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
      return ok(promptDiff({ files, additions, deletions }).text);
    },
  };
}

/** The work so far, for those who judge it, and for an owner who has to find out what an earlier try had done. */
async function changesShown(
  parts: Parts,
  room: Room,
  task: Task,
  turn: LiveTurn,
  { begunBefore, remembers }: TurnSession,
): Promise<Result<PromptDiff>> {
  if (task.base === null || (turn.ask !== null && remembers)) return ok(nothingShown);
  const now = begunBefore === null ? ok(null) : await begunBefore.snapshot();
  if (!now.ok) return now;
  const to = now.value?.id ?? (turn.role === 'owner' ? null : task.content);
  if (to === null) return ok(nothingShown);
  const diff = await parts.workspaceOf(room).diff(task.base, to);
  return diff.ok ? ok(promptDiff(diff.value)) : diff;
}

const nothingShown: PromptDiff = { text: '', notShown: [] };

/** Files of the work that whoever judges it does not have. An owner has all of its directory, or all but what is not laid out. */
function filesNotSeen(
  { store }: Parts,
  task: Task,
  turn: LiveTurn,
  { notLaidOut }: TurnSession,
): readonly NotSeen[] {
  const taken = store.snapshots.ofTask(task.id).findLast((snapshot) => snapshot.id === task.content);
  const untracked = turn.role === 'owner' ? [] : (taken?.leftOut ?? []);
  return [...untracked.map(secretShaped), ...notLaidOut];
}

/** What a turn came to; one that is asked again counts with each answer. */
function accountsOf({ store }: Parts, { id, role, purpose }: Turn): TurnAccount[] {
  return store.verdicts
    .ofTurn(id)
    .map(({ verdict, reason, text }) => ({ role, purpose, verdict, reason, text }));
}
