import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { HostBench } from '../../support/host-bench.ts';
import { after, speaks, submits, writes } from '../../support/scripted-roles.ts';

describe('the worktree of a task', () => {
  test('is gone when the task has ended, and its branch with it', async () => {
    const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
    const bench = await HostBench.open({
      roles: {
        owner: [writes('cart.txt', 'full\n'), submits('DONE'), speaks('')],
        reviewer: [submits('DONE')],
      },
    });
    await bench.room(project);
    const done = await bench.work('shop', 'Fill the cart.');
    await bench.until(({ type }) => type === 'place.removed');
    expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(project.git('branch', '--list', 'tribune/*')).toBe('');
    await bench.ask('tasks.apply', { task: done.task.id });
    expect(project.text('cart.txt')).toBe('full\n');
  });

  test('is gone with all that was laid out of its work', async () => {
    const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
    const rooms = (): string => join(bench.home, 'rooms');
    const layOut = (): void => {
      const [room = ''] = readdirSync(rooms());
      mkdirSync(join(rooms(), room, 'laid-out/abc'), { recursive: true });
    };
    const bench: HostBench = await HostBench.open({
      roles: { owner: [after(layOut, submits('DONE')), speaks('')], reviewer: [submits('DONE')] },
    });
    await bench.room(project);
    await bench.work('shop', 'Look at the cart.');
    await bench.until(({ type }) => type === 'place.removed');
    const [room = ''] = readdirSync(rooms());
    expect(readdirSync(join(rooms(), room, 'laid-out'))).toEqual([]);
    expect(readdirSync(join(rooms(), room, 'laid-out-removed'))).toEqual([]);
  });
});

describe('what an owner had made', () => {
  test('is kept before it starts over, and once more when the task is stopped while it does', async () => {
    const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
    const stop = async (): Promise<void> => {
      const [task] = await bench.ask('tasks.list', { limit: 1 });
      await bench.ask('tasks.stop', { task: task?.id ?? '' });
    };
    const bench: HostBench = await HostBench.open({
      roles: {
        owner: [
          writes('cart.txt', 'first\n'),
          submits('BLOCKED'),
          writes('cart.txt', 'second\n'),
          after(stop, speaks('Too late.')),
        ],
        arbiter: [submits('RESET')],
      },
    });
    await bench.room(project);
    const stopped = await bench.work('shop', 'Fill the cart.');
    expect(stopped.task.ending).toBe('stopped');

    const first = await bench.until(({ type }) => type === 'content.kept');
    const second = await bench.until(({ type }) => type === 'content.kept', first.seq);
    expect(second.data['snapshot']).not.toBe(first.data['snapshot']);
    expect(second.data['snapshot']).not.toBe(stopped.base);
    await bench.until(({ type }) => type === 'place.removed', second.seq);
  });
});
