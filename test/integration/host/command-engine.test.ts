import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EngineSettings } from '../../../src/shared/contract/room.ts';
import { GitProject } from '../../support/git-project.ts';
import { HostBench, questionOf } from '../../support/host-bench.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A program with these lines of shell, which has what it is told in the file `$told`. */
function program(
  name: string,
  ...lines: readonly string[]
): { readonly engine: EngineSettings; readonly told: string } {
  const folder = temporaryFolder('program');
  const path = join(folder, name);
  const told = join(folder, 'told');
  const head = ['#!/bin/sh', `told='${told}'`, 'cat > "$told"'];
  writeFileSync(path, [...head, ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return { engine: { engine: 'command', model: null, maxTokens: null, command: [path] }, told };
}

/** The nonce that the prompt names, for a verdict as JSON. */
const readsNonce = `nonce=$(sed -n 's/.*nonce of this turn is \\([0-9a-z]*\\)\\..*/\\1/p' "$told" | tail -1)`;

const worker = (): ReturnType<typeof program> =>
  program(
    'owner',
    // The finishing turn has nothing left to do.
    'if grep -q "The reviewer approved" "$told"; then echo "Nothing left to do."; exit 0; fi',
    'if grep -q "Only half" "$told"; then echo full > cart.txt; else echo half > cart.txt; fi',
    'echo "DONE"',
    'echo "I filled what I could."',
  );

async function benchOf(owner: EngineSettings, reviewer: EngineSettings): Promise<HostBench> {
  const bench = await HostBench.open({ roles: {}, config: { roles: { arbiter: null } } });
  await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }), {
    roles: { owner, reviewer },
    criteria: ['The cart is full.'],
  });
  return bench;
}

describe('programs as owner and reviewer', () => {
  test('work, send back and approve with verdicts as JSON', async () => {
    const owner = worker();
    const reviewer = program(
      'reviewer',
      readsNonce,
      'if grep -q "+full" "$told"; then',
      '  verdict=DONE; findings="[]"',
      '  judgements=\'[{"id":"C1","judgement":"met"},{"id":"F1","judgement":"met"}]\'',
      'else',
      '  verdict=DONE_WITH_CONCERNS; judgements=\'[{"id":"C1","judgement":"unmet"}]\'',
      '  findings=\'[{"criterion":"C1","severity":"blocking","text":"Only half."}]\'',
      'fi',
      'printf \'{"verdict":"%s","nonce":"%s","text":"Seen.","findings":%s,"judgements":%s}\' "$verdict" "$nonce" "$findings" "$judgements"',
    );
    const bench = await benchOf(owner.engine, reviewer.engine);
    const { task, findings } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 1 });
    expect(findings[0]).toMatchObject({ text: 'Only half.', criterion: 'C1' });
    expect(bench.server.requests).toHaveLength(0);
    expect(readFileSync(reviewer.told, 'utf8')).toContain('Changes since the task began');
  });

  test('and with verdicts as text', async () => {
    const owner = worker();
    const reviewer = program(
      'reviewer',
      'if grep -q "+full" "$told"; then echo "DONE"; else echo "DONE_WITH_CONCERNS"; echo; echo "Only half."; fi',
    );
    const bench = await benchOf(owner.engine, reviewer.engine);
    expect((await bench.work('shop', 'Fill the cart.')).task).toMatchObject({
      ending: 'reviewed',
      rounds: 1,
    });
  });

  test('one that is asked again is told everything again, for it remembers nothing', async () => {
    const reviewer = program(
      'reviewer',
      'if grep -q "No verdict could be counted" "$told"; then echo DONE; else echo "Looks fine to me."; fi',
    );
    const bench = await benchOf(worker().engine, reviewer.engine);
    const { task } = await bench.work('shop', 'Fill the cart.');
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 0 });
    const told = readFileSync(reviewer.told, 'utf8');
    expect(told).toContain('No verdict could be counted');
    expect(told).toContain('Fill the cart.');
    expect(told).toContain('+half');
  });

  test('a verdict without this turn’s nonce is none', async () => {
    const owner = worker();
    const reviewer = program('reviewer', 'echo \'{"verdict":"DONE","nonce":"guessed","text":"Fine."}\'');
    const bench = await benchOf(owner.engine, reviewer.engine);
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toContain('no progress');
    expect(asked.approved).toBeNull();
  });

  test('one that prints without end is heard to its verdict, and floods neither log nor prompts', async () => {
    const reviewer = program('reviewer', 'echo DONE', 'echo', 'yes "a line of a flood" | head -c 5000000');
    const bench = await benchOf(worker().engine, reviewer.engine);
    const { task, turns } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(turns[1]?.text?.length).toBeLessThan(41_000);
    expect(JSON.stringify(bench.events).length).toBeLessThan(100_000);
  });

  test('one that is missing asks a person, naming it', async () => {
    const missing: EngineSettings = {
      engine: 'command',
      model: null,
      maxTokens: null,
      command: ['/nowhere/agent'],
    };
    const bench = await benchOf(missing, missing);
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toMatch(/"\/nowhere\/agent" was not found.*Install it/s);
  });

  test('has no credentials in its environment, and no place to write as a reviewer', async () => {
    const owner = program('owner', 'env > environment.txt', 'echo DONE');
    const reviewer = program('reviewer', 'ls -A > "$told.place"', 'pwd >> "$told.place"', 'echo DONE');
    const bench = await benchOf(owner.engine, reviewer.engine);
    const { task } = await bench.work('shop', 'Look around.');
    const diff = await bench.ask('tasks.diff', { task: task.id });
    expect(diff.text).toContain('+PATH=');
    expect(diff.text).not.toMatch(/ANTHROPIC|scripted/);
    const place = readFileSync(`${reviewer.told}.place`, 'utf8').trim().split('\n');
    expect(place).toHaveLength(1);
    expect(place[0]).not.toContain('shop');
  });
});
