import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { taskDetailSchema } from '../../src/shared/contract/views.ts';
import { calls } from '../fakes/messages-server/script.ts';
import { describeWithCodingClis } from '../support/coding-clis.ts';
import { CommandLine } from '../support/command-line.ts';
import { GitProject } from '../support/git-project.ts';
import { describeWithReviewerImage } from '../support/reviewer-image.ts';
import { speaks, submits } from '../support/scripted-roles.ts';
import type { Step } from '../support/scripted-roles.ts';

/** Starts of real programs and of a container take their time where other tests run beside. */
const TEST_MS = 120_000;

/** Who an agent's program runs as inside: the host's own user, but never root. */
const agent = String(process.getuid?.() || 1_000);

const bash =
  (command: string): Step =>
  () =>
    calls('Bash', { command });

const claudeSubmits: Step = ({ nonce }) =>
  calls('mcp__tribune__submit_verdict', { verdict: 'DONE', nonce, summary: 'I say DONE.' });

const model = 'claude-sonnet-5-5';

describeWithCodingClis('a sealed owner', ({ claude }) => {
  describeWithReviewerImage('on Claude Code', () => {
    it(
      'works in its worktree with its own shell, and has no other way out than its gate',
      { timeout: TEST_MS },
      async () => {
        const project = GitProject.withFiles({
          'sum.sh': 'echo $(($1 - $2))\n',
          '.gitignore': 'node_modules/\n',
        });
        const line = await CommandLine.prepare({
          roles: {
            owner: [
              bash('id -u; pwd; cat node_modules/library; ls /sys/class/net'),
              bash(
                "printf 'echo $(($1 + $2))\\n' > sum.sh && mkdir new && echo made > new/file && sh sum.sh 2 3",
              ),
              bash(`ls ${project.directory} /var/run/docker.sock`),
              claudeSubmits,
              speaks('It adds now.'),
              claudeSubmits,
              speaks('Nothing is left to do.'),
            ],
            reviewer: [submits('DONE', { judgements: [{ id: 'C1', judgement: 'met' }] })],
          },
          environment: { CANARY_KEY: 'scripted', DOCKER_HOST: process.env['DOCKER_HOST'] },
        });
        const accounts = [{ name: 'work', key: { environment: 'CANARY_KEY' } }];
        const settings = {
          roles: {
            owner: { engine: 'claude-code', model },
            reviewer: { engine: 'anthropic', model },
            arbiter: null,
          },
          engines: { 'claude-code': { program: claude, accounts, baseUrl: line.server.url } },
        };
        writeFileSync(join(line.home, 'config.json'), JSON.stringify(settings));
        const made = await line.run([
          'rooms',
          'set',
          'adding',
          '--dir',
          project.directory,
          '--seal-owner',
          '--setup',
          'mkdir node_modules && echo installed > node_modules/library',
        ]);
        expect(made.code, made.problems).toBe(0);
        const done = await line.run([
          'run',
          '--dir',
          project.directory,
          '--room',
          'adding',
          '--json',
          'Make sum.sh add.',
        ]);
        expect(done.code, done.problems + done.out).toBe(0);
        const { task } = taskDetailSchema.parse(JSON.parse(done.out));
        expect(task).toMatchObject({ state: 'completed', ending: 'reviewed' });

        const seen = line.roles.callsOf('owner').map(({ newest }) => newest);
        // Its dependencies are there, its user is not root, and there is no network but the loopback.
        expect(seen[1]).toMatch(new RegExp(`${agent}\\s+/worktree\\s+installed\\s+lo\\b`));
        expect(seen[2]).toContain('5');
        expect(seen[3]).toMatch(/No such file[^]*No such file/);

        const applied = await line.run(['apply', task.id]);
        expect(applied.code, applied.problems).toBe(0);
        expect(project.text('new/file')).toBe('made\n');
      },
    );
  });
});
