import { join } from 'node:path';
import { createWorkspace } from '../src/main/workspaces/workspace.ts';
import { figure, median } from './figure.ts';
import type { Figure } from './figure.ts';
import { valueOf } from './programs.ts';
import { changeFiles, gitMs, makeProject } from './project.ts';
import type { Scratch } from './scratch.ts';

const FILES = 50_000;
const CHANGED = 10;
const ROUNDS = 7;
const COMPARISONS = 2;

/** Snapshots of an owner's worktree, beside what `git status` takes in the same one. */
export async function snapshots(scratch: Scratch): Promise<readonly Figure[]> {
  const project = scratch.folder('project');
  makeProject(project, FILES);
  const workspace = createWorkspace({
    directory: project,
    dataDirectory: join(scratch.folder('data'), 'room'),
    environment: process.env,
  });
  scratch.scope.add('the workspace', () => workspace.close());
  const base = valueOf(await workspace.snapshotOfDirectory());
  const open = valueOf(await workspace.open('task_01J000000000000000000000AA', base.id));
  let latest = valueOf(await open.snapshot());
  await gitMs(open.directory, 'status');
  const taken: number[] = [];
  const status: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    changeFiles(open.directory, FILES, CHANGED, round);
    status.push(await gitMs(open.directory, 'status'));
    const startedAt = performance.now();
    latest = valueOf(await open.snapshot());
    taken.push(performance.now() - startedAt);
  }
  const compared: number[] = [];
  for (let round = 0; round < COMPARISONS; round += 1) {
    const startedAt = performance.now();
    const { equal } = valueOf(await open.compare(latest.id));
    if (!equal) throw new Error('The content differs from its own snapshot.');
    compared.push(performance.now() - startedAt);
  }
  const yardstick = { what: 'git status', value: median(status) };
  return [
    figure({
      name: `snapshot of ${FILES} files, ${CHANGED} changed`,
      value: median(taken),
      unit: 'ms',
      yardstick,
      bar: { of: 'ratio', atMost: 2 },
    }),
    figure({
      name: `finishing comparison of ${FILES} files, every byte read anew`,
      value: median(compared),
      unit: 'ms',
      yardstick,
    }),
  ];
}
