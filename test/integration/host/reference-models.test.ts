import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { HostBench } from '../../support/host-bench.ts';
import { refuses, speaks, submits } from '../../support/scripted-roles.ts';
import type { Step } from '../../support/scripted-roles.ts';

/** A host whose arbiter is told opinions; a reference model is asked with the arbiter's instructions, so it is of its script. */
async function benchWith(arbiter: readonly Step[], key = 'KEY'): Promise<HostBench> {
  const bench = await HostBench.prepare({
    roles: { owner: [submits('BLOCKED', { summary: 'Two carts are meant.' })], arbiter },
    environment: { KEY: 'reference-key' },
  });
  const model = {
    name: 'second opinion',
    api: 'anthropic',
    model: 'claude-opus-4-5',
    key: { environment: key },
  };
  const referenceModels = [{ ...model, baseUrl: bench.server.url }];
  writeFileSync(join(bench.home, 'config.json'), JSON.stringify({ referenceModels }));
  await bench.start();
  await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }));
  return bench;
}

test('the arbiter is told what a reference model says, which knows no nonce and can do nothing', async () => {
  const bench = await benchWith([speaks('I would ESCALATE: only a person knows.'), submits('ESCALATE')]);
  const { turns } = await bench.work('shop', 'Fill the cart.');
  const [asked, judged] = bench.roles.callsOf('arbiter');
  expect(asked?.nonce).toBe('none');
  expect(asked?.newest).toContain('Two carts are meant.');
  expect(asked?.newest).toContain('Say in words how you would rule');
  expect(asked?.request.tools ?? []).toEqual([]);
  expect(judged?.prompt).toMatch(/Opinion 1, of second opinion\s+> I would ESCALATE: only a person knows\.$/);
  expect(turns.at(-1)).toMatchObject({ role: 'arbiter', verdict: 'ESCALATE' });
  const models = bench.eventsOf('call.recorded').map(({ data }) => data['model']);
  expect(models).toEqual(['claude-sonnet-5-5', 'claude-opus-4-5', 'claude-sonnet-5-5']);
});

test('where none says anything it judges alone, and the failures are told', async () => {
  const bench = await benchWith([refuses(529, 'overloaded_error', 'Busy.'), submits('ESCALATE')]);
  await bench.work('shop', 'Fill the cart.');
  expect(bench.roles.callsOf('arbiter')[1]?.prompt).not.toContain('Opinion');
  const notices = bench.eventsOf('turn.noticed').map(({ data }) => String(data['text']));
  expect(notices[0]).toMatch(/The reference model second opinion gave no opinion: .*529.*Busy/);
  expect(notices[1]).toBe('The arbiter judges without other opinions.');
});

test('one whose key is missing is not asked', async () => {
  const bench = await benchWith([submits('ESCALATE')], 'NO_SUCH_KEY');
  await bench.work('shop', 'Fill the cart.');
  expect(String(bench.eventsOf('turn.noticed')[0]?.data['text'])).toContain('NO_SUCH_KEY is not set');
});
