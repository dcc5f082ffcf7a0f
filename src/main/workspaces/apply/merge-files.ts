import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import type { BytePath } from '../git/byte-path.ts';
import type { SnapshotStore } from '../git/snapshot-store.ts';
import { mergedMode, sameEntry } from './plan-apply.ts';
import type { Change, Merge } from './plan-apply.ts';

/** Any exit code is an answer: the number of conflicts, or from 128 on an error, 255 for files that are not text. */
const everyExit = Array.from({ length: 256 }, (_, code) => code);

/** Merges line by line what both sides changed, in a scratch folder; names what conflicts. */
export async function mergeFiles(
  store: SnapshotStore,
  scratch: string,
  merges: readonly Merge[],
): Promise<
  Result<{ readonly changes: readonly Change[]; readonly conflicts: readonly BytePath[] }, WorkspaceFailure>
> {
  const changes: Change[] = [];
  const conflicts: BytePath[] = [];
  for (const merge of merges) {
    const object = await mergeContent(store, scratch, merge);
    if (!object.ok) return object;
    if (object.value === null) {
      conflicts.push(merge.path);
      continue;
    }
    const after = { mode: mergedMode(merge), object: object.value };
    if (!sameEntry(after, merge.now)) changes.push({ path: merge.path, before: merge.now, after });
  }
  return ok({ changes, conflicts });
}

/** The merged content, stored; null where it conflicts or is not text. */
async function mergeContent(
  store: SnapshotStore,
  scratch: string,
  { now, base, approved }: Merge,
): Promise<Result<string | null, WorkspaceFailure>> {
  const sides = await store.blobs([now.object, base.object, approved.object]);
  if (!sides.ok) return sides;
  const files = ['now', 'base', 'approved'].map((name) => join(scratch, name));
  await mkdir(scratch, { recursive: true });
  try {
    await Promise.all(files.map((file, at) => writeFile(file, sides.value[at] ?? '')));
    const answer = await store.run(['merge-file', '-p', '--quiet', ...files], { exits: everyExit });
    if (!answer.ok || answer.value.exit !== 0) return answer.ok ? ok(null) : answer;
    const stored = await store.run(['hash-object', '-w', '--stdin'], { input: answer.value.output });
    return stored.ok ? ok(stored.value.output.toString('latin1').trim()) : stored;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
