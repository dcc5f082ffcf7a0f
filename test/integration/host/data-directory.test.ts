import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { failureOf, HostBench, questionOf } from '../../support/host-bench.ts';
import { gate, speaks, submits } from '../../support/scripted-roles.ts';

/** A host that has a task waiting for a person, and was ended in good order. */
async function endedHost(): Promise<HostBench> {
  const bench = await HostBench.open({
    roles: { owner: [submits('BLOCKED'), submits('DONE'), speaks('')], reviewer: [submits('DONE')] },
    config: { roles: { arbiter: null } },
  });
  await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }));
  questionOf(await bench.work('shop', 'Fill the cart.'));
  await bench.stop();
  return bench;
}

/** The host has everything that it had, and goes on with it. */
async function expectAllThere(bench: HostBench): Promise<void> {
  await bench.start();
  const [question] = await bench.ask('escalations.list', {});
  if (question === undefined) throw new Error('The question is lost.');
  const after = bench.lastSeq;
  await bench.give(question, 'send_back', 'Once more.');
  expect((await bench.settled(question.task, after)).task.ending).toBe('reviewed');
}

describe('a data directory', () => {
  test('that a host uses is refused to a second one by name, and the first goes on', async () => {
    const bench = await endedHost();
    await bench.start();
    const refusal = failureOf(await bench.opening());
    expect(refusal.tag).toBe('another_host');
    expect(refusal.message).toContain(bench.home);
    expect(refusal.next).toContain('stop it first');
    await bench.stop();
    await expectAllThere(bench);
  });

  test('whose database another program holds locked is refused, and opens when it lets go', async () => {
    const bench = await endedHost();
    const other = new Database(join(bench.home, 'tribune.db'));
    onTestFinished(() => {
      other.close();
    });
    other.pragma('locking_mode = EXCLUSIVE');
    other.exec('BEGIN EXCLUSIVE');
    const refusal = failureOf(await bench.opening());
    expect(refusal.tag).toBe('locked');
    expect(refusal.message).toContain('tribune.db');
    expect(refusal.next).toContain('Close the program');
    other.close();
    await expectAllThere(bench);
  });

  test('with a damaged database is refused, untouched, with the way to repair it', async () => {
    const bench = await endedHost();
    const path = join(bench.home, 'tribune.db');
    const whole = readFileSync(path);
    truncateSync(path, 5_000);
    const refusal = failureOf(await bench.opening());
    expect(refusal.tag).toBe('corrupt');
    expect(refusal.message).toContain(path);
    expect(refusal.next).toContain('Move');
    expect(readFileSync(path)).toHaveLength(5_000);
    writeFileSync(path, whole);
    await expectAllThere(bench);
  });

  test('with something else for a database is refused', async () => {
    const bench = await HostBench.prepare({ roles: {} });
    writeFileSync(join(bench.home, 'tribune.db'), 'These are words, and no database at all.'.repeat(100));
    expect(failureOf(await bench.opening())).toMatchObject({ tag: 'corrupt' });
  });

  test('that a newer version has written is refused, untouched', async () => {
    const bench = await endedHost();
    const path = join(bench.home, 'tribune.db');
    const database = new Database(path);
    const version = database.pragma('user_version', { simple: true });
    database.pragma('user_version = 4711');
    database.close();
    const refusal = failureOf(await bench.opening());
    expect(refusal.tag).toBe('newer_schema');
    expect(`${refusal.message} ${refusal.next ?? ''}`).toMatch(/newer/i);
    const again = new Database(path);
    again.pragma(`user_version = ${String(version)}`);
    again.close();
    await expectAllThere(bench);
  });

  test.each([
    { what: 'no JSON', config: '{ "turnsAtOnce": 5,, }', names: /JSON/ },
    { what: 'an unknown setting', config: { turnAtOnce: 5 }, names: /turnAtOnce/ },
    { what: 'a bad value', config: { turnsAtOnce: 0 }, names: /turnsAtOnce/ },
    {
      what: 'an unknown engine',
      config: { roles: { owner: { engine: 'oracle' } } },
      names: /roles\.owner\.engine/,
    },
  ])('whose config.json holds $what is refused with the place of the mistake', async ({ config, names }) => {
    const bench = await HostBench.prepare({ roles: {}, config });
    const refusal = failureOf(await bench.opening());
    expect(refusal.tag).toBe('bad_config');
    expect(refusal.message).toContain(join(bench.home, 'config.json'));
    expect(refusal.message).toMatch(names);
    expect(refusal.next).toContain('Correct or remove the file');
    expect(readdirSync(bench.home)).toEqual(['config.json']);
  });

  test('of a host that was ended while a turn ran: the next host goes on with that turn', async () => {
    const stopped = gate();
    const bench: HostBench = await HostBench.open({
      roles: {
        owner: [
          async () => {
            await bench.stop();
            stopped.open();
            return { kind: 'hang' };
          },
          submits('DONE'),
          speaks(''),
        ],
        reviewer: [submits('DONE')],
      },
    });
    await bench.room(GitProject.withFiles({ 'cart.txt': 'empty\n' }));
    const task = await bench.send('shop', 'Fill the cart.');
    await bench.server.received(1);
    await stopped.opened;
    await bench.start();
    const { task: done, turns } = await bench.settled(task);
    expect(done.ending).toBe('reviewed');
    expect(turns.map(({ role, purpose }) => `${role} ${purpose}`)).toEqual([
      'owner work',
      'reviewer review',
      'owner finish',
    ]);
  });
});
