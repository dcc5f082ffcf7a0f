import { isSecretShaped } from '../../../shared/kernel/secret-shapes.ts';
import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import type { BytePath } from '../git/byte-path.ts';
import type { SnapshotStore, TreeEntry } from '../git/snapshot-store.ts';
import { linksLeadingOut } from './links-leading-out.ts';

const LINK_MODE = '120000';

/** What of a snapshot is not laid out. */
export interface LeftOut {
  readonly secrets: readonly BytePath[];
  readonly links: readonly BytePath[];
}

/**
 * A link to a secret stays: what it points to is not there. A link that leads out of the work is left out, since what
 * it leads to is nothing of the project's, but whatever lies there for whoever reads it: another snapshot, what a
 * program has in /proc, the gate of a turn. No review needs that, and someone who plants such a link does.
 */
export async function chooseLeftOut(
  store: SnapshotStore,
  entries: ReadonlyMap<BytePath, TreeEntry>,
): Promise<Result<LeftOut, WorkspaceFailure>> {
  const secrets = [...entries.keys()].filter(isSecretShaped);
  const links = [...entries].filter(([path, { mode }]) => mode === LINK_MODE && !isSecretShaped(path));
  if (links.length === 0) return ok({ secrets, links: [] });
  const targets = await store.blobs(links.map(([, { object }]) => object));
  if (!targets.ok) return targets;
  const pointing = new Map(links.map(([path], nth) => [path, targets.value[nth]?.toString('latin1') ?? '']));
  return ok({ secrets, links: linksLeadingOut(pointing) });
}
