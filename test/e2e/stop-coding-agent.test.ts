import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { calls } from '../fakes/messages-server/script.ts';
import { describeWithCodingClis } from '../support/coding-clis.ts';
import { CommandLine } from '../support/command-line.ts';
import { GitProject } from '../support/git-project.ts';

const TEST_MS = 60_000;

describeWithCodingClis('an owner on Claude Code that is at work', ({ claude }) => {
  /** One whose command has been started, goes on in sessions of its own, and would never end. */
  async function atWork(seconds: number) {
    const line = await CommandLine.prepare({
      roles: {
        owner: [
          () =>
            calls('Bash', {
              command: `echo begun > begun.txt; setsid sleep ${seconds} & exec sleep ${seconds}`,
            }),
        ],
      },
      environment: { ANTHROPIC_API_KEY: undefined, KEY: 'sk-test' },
    });
    const engine = { engine: 'claude-code', model: 'claude-sonnet-5-5' };
    const account = { name: 'work', key: { environment: 'KEY' } };
    const settings = {
      roles: { owner: engine, reviewer: engine, arbiter: null },
      engines: { 'claude-code': { program: claude, accounts: [account], baseUrl: line.server.url } },
    };
    writeFileSync(join(line.home, 'config.json'), JSON.stringify(settings));
    const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
    const run = ['run', '--dir', project.directory, '--mode', 'single', '--verbose', 'Fill it.'];
    return { line, run, running: () => processesOf(seconds) };
  }

  it('is stopped with all that it started, and its content is kept', { timeout: TEST_MS }, async () => {
    const { line, run, running } = await atWork(4_321);
    const host = await line.startHost();
    const events = line.follow();
    await line.run([...run, '--no-wait']);
    const { task } = await events.until(
      ({ type, data }) => type === 'tool.started' && data['tool'] === 'Bash',
    );
    await until(() => running().length === 2);

    expect(await line.run(['stop', task ?? ''])).toMatchObject({ code: 0 });
    await until(() => running().length === 0);

    await events.until(({ type }) => type === 'content.kept');
    const shown = await line.run(['show', task ?? '', '--diff']);
    expect(shown.out).toContain('+begun');
    await host.interrupt();
  });

  it(
    'ends with all that it started at Ctrl-C, and the task waits for the next host',
    {
      timeout: TEST_MS,
    },
    async () => {
      const { line, run, running } = await atWork(4_322);
      const command = line.start(run);
      await command.line((text) => text.includes('Bash'));
      await until(() => running().length === 2);
      const ended = await command.interrupt();
      expect(ended.code).toBe(130);
      expect(running()).toEqual([]);
      expect((await line.run(['tasks'])).out).toContain('Fill it.');
    },
  );
});

/** Processes that sleep for so many seconds. */
function processesOf(seconds: number): string[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  return listed.split('\n').filter((row) => row.trim().endsWith(` sleep ${seconds}`));
}

/** Looks until it is so: what it waits for are processes of others, of which nobody tells. */
async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { interval: 20, timeout: 10_000 }).toBe(true);
}
