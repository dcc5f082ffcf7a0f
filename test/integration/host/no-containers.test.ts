import { expect, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { HostBench, questionOf } from '../../support/host-bench.ts';
import { speaks, submits, writes } from '../../support/scripted-roles.ts';

const anthropic = { engine: 'anthropic', model: 'claude-sonnet-5-5' } as const;
const sealed = { engine: 'claude-code' } as const;
const noEngine = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };

test('without a container engine a sealed reviewer does not run; the question has the way out', async () => {
  const bench = await HostBench.open({
    roles: {
      owner: [writes('sum.sh', 'echo 5\n'), submits('DONE'), submits('DONE')],
      reviewer: [submits('DONE', { judgements: [{ id: 'C1', judgement: 'met' }] })],
    },
    environment: noEngine,
    config: { roles: { owner: anthropic, reviewer: sealed } },
  });
  const room = await bench.room(GitProject.withFiles({ 'sum.sh': '' }));
  const asked = await bench.work('shop', 'Make it add.');
  expect(questionOf(asked).text).toMatch(
    /does not answer.*Install or start Docker.*`tribune rooms set shop --reviewer anthropic:MODEL`/,
  );
  expect(bench.roles.callsOf('reviewer')).toEqual([]);
  await bench.ask('rooms.update', {
    room: 'shop',
    settings: { ...room.settings, roles: { reviewer: { ...anthropic, maxTokens: null, command: null } } },
  });
  expect((await bench.answer(asked, 'try_again')).task.ending).toBe('reviewed');
});

test('nor does a sealed owner', async () => {
  const bench = await HostBench.open({
    roles: { owner: [speaks('Never asked.')] },
    environment: noEngine,
    config: { roles: { owner: sealed } },
    loose: true,
  });
  await bench.room(GitProject.withFiles({ 'sum.sh': '' }), { sealedOwner: true });
  const asked = await bench.work('shop', 'Make it add.');
  expect(questionOf(asked).text).toContain('`tribune rooms set shop --no-seal-owner`');
  expect(bench.roles.calls).toEqual([]);
});
