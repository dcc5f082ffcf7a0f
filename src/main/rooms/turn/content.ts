import { describeFailure, err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { Content } from '../../domain/tribunal/event.ts';
import type { OpenWorkspace } from '../../ports/workspace.ts';
import { openOwnerPlace } from './place.ts';
import type { Try } from './try.ts';

/** An owner's work at the end of a turn, and what was left out of it. */
export interface TakenContent {
  readonly content: Content;
  readonly leftOut: readonly string[];
}

/** Takes the content: as a snapshot, and after a finishing turn compared, every byte read anew, with what was approved. */
export async function takeContent(ended: Try, open: OpenWorkspace | null): Promise<TakenContent> {
  const { steps } = ended.parts;
  const { approved } = ended.task;
  const place = open === null ? await openAgain(ended) : ok(open);
  if (!place.ok) return unknown(describeFailure(place.failure));
  if (ended.turn.purpose === 'finish' && approved !== null) {
    const compared = await steps.later('content.compared', () => place.value.compare(approved));
    if (!compared.ok) return unknown(describeFailure(compared.failure));
    const { equal, snapshot } = compared.value;
    return {
      content: { kind: 'snapshot', snapshot: snapshot.id, equalsApproved: equal },
      leftOut: snapshot.leftOut,
    };
  }
  const taken = await steps.later('content.taken', () => place.value.snapshot());
  if (!taken.ok) return unknown(describeFailure(taken.failure));
  const { id, leftOut } = taken.value;
  return { content: { kind: 'snapshot', snapshot: id, equalsApproved: null }, leftOut };
}

/** The host died after the turn had ended: its place is as it was left. */
async function openAgain({ parts, room, task }: Try): Promise<Result<OpenWorkspace>> {
  return task.base === null
    ? err({ tag: 'no_workspace', message: `Task ${task.id} has no workspace.` })
    : openOwnerPlace(parts, parts.workspaceOf(room), task, task.base);
}

function unknown(reason: string): TakenContent {
  return { content: { kind: 'unknown', reason }, leftOut: [] };
}
