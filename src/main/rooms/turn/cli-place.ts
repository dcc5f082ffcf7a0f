import { basename } from 'node:path';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Failure, Result } from '../../../shared/kernel/result.ts';
import { turnFailureOf } from '../../ports/coding-cli.ts';
import type { OpenCliPlace } from '../../ports/coding-cli.ts';
import type { EngineFailure } from '../../ports/engine.ts';
import type { SealRequest } from '../../ports/seals.ts';
import type { OpenWorkspace } from '../../ports/workspace.ts';
import { secretShaped } from '../prompts/not-seen.ts';
import type { NotSeen } from '../prompts/not-seen.ts';
import { openOwnerPlace } from './place.ts';
import type { PreparedPlace } from './place.ts';
import type { BegunTry } from './try.ts';

/** Where the program of a turn runs, and which files of the work its agent does not see there. */
export interface TurnCliPlace extends OpenCliPlace {
  readonly leftOut: readonly NotSeen[];
}

/**
 * Makes a place for the program of a turn: on the host for an owner, in the room's container for every other role,
 * and for an owner too where the room says so. A role that has to be sealed never runs unsealed.
 */
export async function openCliPlace(
  begun: BegunTry,
  prepared: PreparedPlace,
  signal: AbortSignal,
): Promise<Result<TurnCliPlace, EngineFailure>> {
  const { parts, room } = begun;
  if (prepared.open !== null && !room.settings.sealedOwner) {
    const opened = await parts.hostPlaces.open(prepared.open.directory);
    if (!opened.ok) return err(turnFailureOf(opened.failure));
    const { value: place } = opened;
    return ok({ cli: place.cli, close: () => place.close(), leftOut: [] });
  }
  const sealed = await sealRequest(begun, prepared);
  if (!sealed.ok) return sealed;
  const opened = await parts.seals.open(sealed.value.request, signal);
  if (!opened.ok) return err(withWayOut(turnFailureOf(opened.failure), begun));
  const { value: place } = opened;
  const { container, attempts } = place.probe;
  const { id: taskId, roomId } = begun.task;
  const data = { container, attempts };
  parts.store.events.append({ type: 'turn.sealed', roomId, taskId, turnId: begun.turnId, data });
  return ok({ cli: place.cli, close: () => place.close(), leftOut: sealed.value.leftOut });
}

/** What a role may see: an owner its worktree, to write in; every other role the snapshot, to read. */
async function sealRequest(
  begun: BegunTry,
  { base, open }: PreparedPlace,
): Promise<Result<{ request: SealRequest; leftOut: readonly NotSeen[] }, EngineFailure>> {
  const { parts, room, task, session } = begun;
  const workspace = parts.workspaceOf(room);
  const laidOut = await workspace.layOut(task.content ?? base);
  if (!laidOut.ok) return err(noPlace(laidOut.failure));
  const { directory: snapshots, folder, leftOut, linksLeftOut, renewed } = laidOut.value;
  if (renewed) notice(begun, 'The files laid out for this review had been changed, and were laid out anew.');
  const about = { room: room.id, snapshots, snapshot: basename(folder), session };
  if (open !== null) {
    return ok({ request: { ...about, dependencies: [], worktree: open.directory }, leftOut: [] });
  }
  const paths = room.settings.dependencies;
  const owners = paths.length === 0 ? ok(null) : await openOwnerPlace(parts, workspace, task, base);
  if (!owners.ok) return err(noPlace(owners.failure));
  const found = await foldersIn(owners.value, paths);
  if (!found.ok) return err(noPlace(found.failure));
  const request = { ...about, dependencies: found.value, worktree: null };
  return ok({
    request,
    leftOut: [
      ...leftOut.map(secretShaped),
      ...linksLeftOut.map((path) => ({ what: path, why: 'a link that leads out of the work' })),
    ],
  });
}

/** A full disk may have room again; what else keeps a place from being made stays as it is. */
function noPlace(failure: Failure): EngineFailure {
  return failure.tag === 'disk_full'
    ? { ...failure, tag: 'program_failed', forGood: false }
    : { ...failure, tag: 'misconfigured', forGood: true };
}

function notice({ parts, task, turnId }: BegunTry, text: string): void {
  const { id: taskId, roomId } = task;
  parts.store.events.append({ type: 'turn.noticed', roomId, taskId, turnId, data: { text } });
}

function foldersIn(
  place: OpenWorkspace | null,
  paths: readonly string[],
): ReturnType<OpenWorkspace['dependencyFolders']> {
  return place === null ? Promise.resolve(ok([])) : place.dependencyFolders(paths);
}

/** Where no container can be had: the command after which the role needs none. */
function withWayOut(failure: EngineFailure, { room, turn }: BegunTry): EngineFailure {
  if (failure.tag !== 'unsealed') return failure;
  const set = `tribune rooms set ${room.name}`;
  const way =
    turn.role === 'owner'
      ? `\`${set} --no-seal-owner\` lets the owner work on this host.`
      : `\`${set} --${turn.role} anthropic:MODEL\` does without a container.`;
  return { ...failure, next: failure.next === undefined ? way : `${failure.next} ${way}` };
}
