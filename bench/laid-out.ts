import { join } from 'node:path';
import { createWorkspace } from '../src/main/workspaces/workspace.ts';
import { figure, median } from './figure.ts';
import type { Figure } from './figure.ts';
import { valueOf } from './programs.ts';
import { changeFiles, gitMs, makeProject } from './project.ts';
import type { Scratch } from './scratch.ts';

/** One round of the larger takes as long as all of the smaller. */
const PROJECTS = [
  { files: 5_000, rounds: 7 },
  { files: 50_000, rounds: 1 },
] as const;
const TIMES_AGAIN = 5;

/** Laying a snapshot out as files, for the first time and again, beside a worktree that git makes of the same files. */
export async function laidOut(scratch: Scratch): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { files, rounds } of PROJECTS) figures.push(...(await laidOutOf(scratch, files, rounds)));
  return figures;
}

async function laidOutOf(scratch: Scratch, files: number, rounds: number): Promise<readonly Figure[]> {
  const project = scratch.folder(`project-${files}`);
  makeProject(project, files);
  const worktrees = scratch.folder(`worktrees-${files}`);
  const workspace = createWorkspace({
    directory: project,
    dataDirectory: join(scratch.folder(`data-${files}`), 'room'),
    environment: process.env,
  });
  scratch.scope.add('the workspace', () => workspace.close());
  const added: number[] = [];
  const first: number[] = [];
  const again: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    added.push(await gitMs(project, 'worktree', 'add', '--detach', join(worktrees, `round-${round}`)));
    changeFiles(project, files, 1, round);
    const { id } = valueOf(await workspace.snapshotOfDirectory());
    const layMs = async (): Promise<number> => {
      const startedAt = performance.now();
      valueOf(await workspace.layOut(id));
      return performance.now() - startedAt;
    };
    first.push(await layMs());
    for (let time = 0; time < TIMES_AGAIN; time += 1) again.push(await layMs());
    valueOf(await workspace.forgetLaidOut(() => []));
  }
  const yardstick = { what: `git worktree add, ${files} files`, value: median(added) };
  return [
    figure({
      name: `laying a snapshot of ${files} files out, every byte read back, p50`,
      value: median(first),
      unit: 'ms',
      yardstick,
    }),
    figure({
      name: `finding it laid out and unchanged, ${files} files, p50`,
      value: median(again),
      unit: 'ms',
      yardstick,
    }),
  ];
}
