import { chmodSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { HostBench } from '../../support/host-bench.ts';
import { after, gate, runs, speaks, submits, writes } from '../../support/scripted-roles.ts';
import type { Step } from '../../support/scripted-roles.ts';

/** A room whose tasks do these things, one after another, each reviewed and done. */
async function benchDoing(project: GitProject, ...tasks: readonly (readonly Step[])[]): Promise<HostBench> {
  const bench = await HostBench.open({
    roles: {
      owner: tasks.flatMap((work) => [...work, submits('DONE'), speaks('')]),
      reviewer: tasks.map(() => submits('DONE')),
    },
  });
  await bench.room(project);
  return bench;
}

function shop(): GitProject {
  return GitProject.withFiles({ 'cart.txt': 'one\ntwo\nthree\nfour\nfive\n', 'bill.txt': 'open\n' });
}

describe('applying a task', () => {
  test('brings all that was approved into the checkout, uncommitted: content, modes, links, deletions', async () => {
    const project = shop();
    const bench = await benchDoing(project, [
      runs(
        'echo new > new.txt; rm bill.txt; ln -s cart.txt link; echo "#!/bin/sh" > run.sh; chmod +x run.sh',
      ),
    ]);
    const { task } = await bench.work('shop', 'Do it.');
    const { paths } = await bench.ask('tasks.apply', { task: task.id });
    expect([...paths].sort()).toEqual(['bill.txt', 'link', 'new.txt', 'run.sh']);
    expect(project.has('bill.txt')).toBe(false);
    expect(readlinkSync(project.path('link'))).toBe('cart.txt');
    expect(statSync(project.path('run.sh')).mode & 0o111).not.toBe(0);
    expect(project.git('log', '--oneline').trim().split('\n')).toHaveLength(1);
    const again = await bench.ask('tasks.apply', { task: task.id });
    expect(again.paths).toEqual([]);
  });

  test('goes together with what the person changed elsewhere in the meantime', async () => {
    const project = shop();
    const bench = await benchDoing(project, [writes('cart.txt', 'ONE\ntwo\nthree\nfour\nfive\n')]);
    const { task } = await bench.work('shop', 'Do it.');
    project.write({ 'cart.txt': 'one\ntwo\nthree\nfour\nFIVE\n', 'mine.txt': 'mine\n' });
    await bench.ask('tasks.apply', { task: task.id });
    expect(project.text('cart.txt')).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
    expect(project.text('mine.txt')).toBe('mine\n');
  });

  test('is refused whole where it conflicts, and touches nothing', async () => {
    const project = shop();
    const bench = await benchDoing(project, [writes('cart.txt', 'ours\n'), writes('bill.txt', 'paid\n')]);
    const { task } = await bench.work('shop', 'Do it.');
    project.write({ 'cart.txt': 'theirs\n' });
    const refusal = await bench.refused('tasks.apply', { task: task.id });
    expect(refusal).toMatchObject({ tag: 'conflict' });
    expect(refusal.message).toContain('cart.txt');
    expect(refusal.next).toMatch(/^\S.*\S$/s);
    expect(project.text('cart.txt')).toBe('theirs\n');
    expect(project.text('bill.txt')).toBe('open\n');
    project.git('checkout', '--quiet', 'cart.txt');
    await bench.ask('tasks.apply', { task: task.id });
    expect(project.text('cart.txt')).toBe('ours\n');
    expect(project.text('bill.txt')).toBe('paid\n');
  });

  test('brings the tasks that it stands on too, once', async () => {
    const project = shop();
    const bench = await benchDoing(
      project,
      [writes('cart.txt', 'first\n')],
      [writes('bill.txt', 'second\n')],
      [writes('third.txt', 'third\n')],
    );
    const first = await bench.work('shop', 'Do the first.');
    const second = await bench.work('shop', 'Do the second.');
    expect(second.changes.map(({ path }) => path)).toEqual(['bill.txt']);
    await bench.ask('tasks.apply', { task: second.task.id });
    expect([project.text('cart.txt'), project.text('bill.txt')]).toEqual(['first\n', 'second\n']);
    expect((await bench.show(first.task.id)).task.appliedAt).not.toBeNull();
    // What follows stands on the checkout again.
    project.write({ 'mine.txt': 'mine\n' });
    const third = await bench.work('shop', 'Do the third.');
    expect(third.changes.map(({ path }) => path)).toEqual(['third.txt']);
    await bench.ask('tasks.apply', { task: third.task.id });
    expect([project.text('third.txt'), project.text('mine.txt')]).toEqual(['third\n', 'mine\n']);
  });

  test('goes on from what was applied of it already, be that while it ran or after', async () => {
    const project = shop();
    const working = gate();
    const bench = await benchDoing(
      project,
      [writes('cart.txt', 'first\n'), writes('draft.txt', 'draft\n')],
      [after(working.pass, writes('cart.txt', 'second\n'))],
      [writes('cart.txt', 'third\n'), runs('rm draft.txt')],
    );
    const first = await bench.work('shop', 'Do the first.');
    const second = await bench.send('shop', 'Do the second.');
    await working.reached;
    await bench.ask('tasks.apply', { task: first.task.id });
    working.open();
    await bench.settled(second);
    const third = await bench.work('shop', 'Do the third.');
    expect(await bench.ask('tasks.apply', { task: second })).toEqual({ paths: ['cart.txt'] });
    const { paths } = await bench.ask('tasks.apply', { task: third.task.id });
    expect([...paths].sort()).toEqual(['cart.txt', 'draft.txt']);
    expect(project.text('cart.txt')).toBe('third\n');
    expect(project.has('draft.txt')).toBe(false);
  });

  test('leaves undone what the person undid of an earlier one', async () => {
    const project = shop();
    const bench = await benchDoing(
      project,
      [writes('cart.txt', 'first\n')],
      [writes('bill.txt', 'second\n')],
    );
    const first = await bench.work('shop', 'Do the first.');
    const second = await bench.work('shop', 'Do the second.');
    await bench.ask('tasks.apply', { task: first.task.id });
    project.git('checkout', '--quiet', 'cart.txt');
    await bench.ask('tasks.apply', { task: second.task.id });
    expect(project.text('cart.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
    expect(project.text('bill.txt')).toBe('second\n');
  });

  test('brings all that came along once more after it was undone', async () => {
    const project = shop();
    const bench = await benchDoing(
      project,
      [writes('cart.txt', 'first\n'), writes('draft.txt', 'draft\n')],
      [writes('cart.txt', 'second\n')],
    );
    await bench.work('shop', 'Do the first.');
    const second = await bench.work('shop', 'Do the second.');
    await bench.ask('tasks.apply', { task: second.task.id });
    project.git('checkout', '--quiet', 'cart.txt');
    project.git('clean', '--quiet', '--force');
    await bench.ask('tasks.apply', { task: second.task.id });
    expect([project.text('cart.txt'), project.text('draft.txt')]).toEqual(['second\n', 'draft\n']);
  });

  test('brings what was approved of a task that gave way, though the newer one was stopped', async () => {
    const project = shop();
    const [finishing, working] = [gate(), gate()];
    const bench = await HostBench.open({
      loose: true,
      roles: {
        owner: [
          writes('cart.txt', 'first\n'),
          submits('DONE'),
          after(finishing.pass, speaks('')),
          after(working.pass, writes('bill.txt', 'second\n')),
          writes('third.txt', 'third\n'),
          submits('DONE'),
          speaks(''),
        ],
        reviewer: [submits('DONE'), submits('DONE')],
      },
    });
    await bench.room(project);
    const first = await bench.send('shop', 'Do the first.');
    await finishing.reached;
    const second = await bench.send('shop', 'Do the second.');
    finishing.open();
    await working.reached;
    await bench.ask('tasks.stop', { task: second });
    working.open();
    await bench.settled(second);
    expect(await bench.refused('tasks.apply', { task: second })).toMatchObject({ tag: 'nothing_to_apply' });
    expect((await bench.show(first)).applicable).toBe(true);
    const third = await bench.work('shop', 'Do the third.');
    expect(third.standsOn.map(({ id }) => id)).toEqual([first]);
    expect(third.changes.map(({ path }) => path)).toEqual(['third.txt']);
    await bench.ask('tasks.apply', { task: third.task.id });
    expect([project.text('cart.txt'), project.text('third.txt')]).toEqual(['first\n', 'third\n']);
    expect(project.text('bill.txt')).toBe('open\n');
    expect((await bench.show(first)).task.appliedAt).not.toBeNull();
  });

  test('stands on the person’s directory as it is, uncommitted files included', async () => {
    const project = shop();
    project.write({ 'cart.txt': 'uncommitted\n', 'untracked.txt': 'too\n' });
    const bench = await benchDoing(project, [runs('cat cart.txt untracked.txt; echo more >> untracked.txt')]);
    const { task, changes } = await bench.work('shop', 'Look.');
    expect(bench.roles.callsOf('owner')[1]?.newest).toMatch(/uncommitted\s+too/);
    expect(changes.map(({ path }) => path)).toEqual(['untracked.txt']);
    await bench.ask('tasks.apply', { task: task.id });
    expect(project.text('untracked.txt')).toBe('too\nmore\n');
    expect(project.text('cart.txt')).toBe('uncommitted\n');
  });

  test('brings nothing of what was done in the directory itself before it became a repository', async () => {
    const project = new GitProject();
    project.write({ 'cart.txt': 'empty\n' });
    const bench = await HostBench.open({
      roles: {
        owner: [
          writes('cart.txt', 'full\n'),
          submits('DONE'),
          speaks(''),
          writes('bill.txt', 'paid\n'),
          submits('DONE'),
          speaks(''),
        ],
        reviewer: [submits('DONE'), submits('DONE')],
      },
    });
    await bench.room(project);
    expect((await bench.work('shop', 'Fill the cart.')).task.ending).toBe('reviewed');
    project.git('init', '--quiet', '--initial-branch=main');
    project.write({ 'cart.txt': 'mine\n' });
    const second = await bench.work('shop', 'Pay.');
    expect(second.standsOn).toEqual([]);
    expect(second.changes.map(({ path }) => path)).toEqual(['bill.txt']);
    expect(await bench.ask('tasks.apply', { task: second.task.id })).toEqual({ paths: ['bill.txt'] });
    expect(project.text('cart.txt')).toBe('mine\n');
  });

  test('of a task that is not done is refused', async () => {
    const project = shop();
    const bench = await HostBench.open({
      roles: { owner: [submits('BLOCKED')] },
      config: { roles: { arbiter: null } },
    });
    await bench.room(project);
    const { task } = await bench.work('shop', 'Do it.');
    const refusal = await bench.refused('tasks.apply', { task: task.id });
    expect(refusal).toMatchObject({ tag: 'nothing_to_apply' });
    expect(refusal.message).toContain('awaiting_person');
  });
});

describe('the directory of a room', () => {
  test('stays while there is work for it, and can be another one when all is applied', async () => {
    const [project, other] = [shop(), GitProject.withFiles({ 'cart.txt': 'other\n' })];
    const working = gate();
    const bench = await benchDoing(
      project,
      [writes('cart.txt', 'first\n')],
      [after(working.pass, writes('bill.txt', 'second\n'))],
    );
    const [room] = await bench.ask('rooms.list', {});
    if (room === undefined) throw new Error('There is no room.');
    const moved = { room: 'shop', settings: { ...room.settings, directory: other.directory } };
    const first = await bench.work('shop', 'Do the first.');
    const unapplied = await bench.refused('rooms.update', moved);
    expect(unapplied.tag).toBe('unapplied_work');
    expect(unapplied.message).toContain(`${first.task.id} (not applied)`);
    expect(unapplied.message).toContain(project.directory);
    expect(unapplied.next).toContain(`tribune apply ${first.task.id}`);
    await bench.ask('rooms.update', {
      room: 'shop',
      settings: { ...room.settings, criteria: ['It adds up.'] },
    });
    const second = await bench.send('shop', 'Do the second.');
    await working.reached;
    await bench.ask('tasks.apply', { task: first.task.id });
    const open = await bench.refused('rooms.update', moved);
    expect(open.tag).toBe('unapplied_work');
    expect(open.message).toContain(`${second} (open)`);
    expect(open.message).not.toContain(first.task.id);
    working.open();
    await bench.settled(second);
    expect((await bench.refused('rooms.update', moved)).message).toContain(`${second} (not applied)`);
    await bench.ask('tasks.apply', { task: second });
    await bench.ask('rooms.update', moved);
    expect(other.status).toBe('');
  });
});

describe('a repository that attacks', () => {
  test('has nothing of it executed by Tribune, and the reviewer sees the truth', async () => {
    const project = shop();
    const canary = project.path('../canary');
    const evil = (name: string): string => {
      const path = project.path(`../${name}`);
      project.write({ [`../${name}`]: `#!/bin/sh\necho ${name} >> '${canary}'\ncat\n` });
      chmodSync(path, 0o755);
      return path;
    };
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit']) {
      project.write({ [`.git/hooks/${hook}`]: `#!/bin/sh\necho ${hook} >> '${canary}'\n` });
      chmodSync(project.path(`.git/hooks/${hook}`), 0o755);
    }
    project.git('config', 'core.fsmonitor', evil('fsmonitor'));
    project.git('config', 'filter.evil.clean', evil('clean'));
    project.git('config', 'filter.evil.smudge', evil('smudge'));
    project.git('config', 'diff.evil.textconv', evil('textconv'));
    project.git('config', 'diff.external', evil('external'));
    project.write({ '.gitattributes': '* filter=evil diff=evil\n' });
    symlinkSync('/etc/passwd', project.path('out'));

    const bench = await HostBench.open({
      roles: {
        owner: [
          // What the owner writes is hidden from git by every means, and is content all the same.
          writes('hidden.txt', 'the truth\n'),
          writes('.gitignore', 'hidden.txt\n'),
          runs('echo hidden.txt >> "$(sed "s/gitdir: //" .git)/../../info/exclude"'),
          submits('DONE'),
          speaks(''),
        ],
        reviewer: [
          ({ request }) => ({
            kind: 'message',
            content: ['hidden.txt', 'out', 'cart.txt'].map((path, at) => ({
              type: 'tool_use',
              id: `toolu_${request.messages.length}_${at}`,
              name: 'read_file',
              input: { path },
            })),
          }),
          submits('DONE'),
        ],
      },
    });
    await bench.room(project);
    const { task, changes } = await bench.work('shop', 'Hide something.');
    expect(task.ending).toBe('reviewed');
    expect(changes.map(({ path }) => path)).toEqual(['.gitignore', 'hidden.txt']);
    const [review, read] = bench.roles.callsOf('reviewer');
    expect(review?.prompt).toContain('+the truth');
    expect(read?.newest).toContain('the truth');
    expect(read?.newest).not.toContain('root:');
    expect(read?.newest).toContain('three');
    await bench.ask('tasks.apply', { task: task.id });
    expect(project.text('hidden.txt')).toBe('the truth\n');
    expect(project.has('../canary')).toBe(false);
    // The trap is one: the person's own git runs it.
    try {
      project.git('add', '--all');
    } catch {
      // The planted programs are no good ones.
    }
    expect(project.has('../canary')).toBe(true);
  });
});
