import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { calls } from '../fakes/messages-server/script.ts';
import { describeWithCodingClis } from '../support/coding-clis.ts';
import { CommandLine } from '../support/command-line.ts';
import { GitProject } from '../support/git-project.ts';
import { describeWithReviewerImage } from '../support/reviewer-image.ts';
import { speaks, submits, writes } from '../support/scripted-roles.ts';
import type { Step } from '../support/scripted-roles.ts';

const model = 'claude-sonnet-5-5';
/** Starts of real programs and of containers take their time where other tests run beside. */
const TEST_MS = 60_000;
/** Within so long the next host has removed what a killed one left. */
const CLEARED_MS = 10_000;

const claudeSubmits: Step = ({ nonce }) =>
  calls('mcp__tribune__submit_verdict', {
    verdict: 'DONE',
    nonce,
    summary: 'I say DONE.',
    judgements: [{ id: 'C1', judgement: 'met' }],
  });

describeWithCodingClis('a host that is killed in the middle of a sealed review', ({ claude }) => {
  describeWithReviewerImage('with its container', ({ docker, image }) => {
    it(
      'leaves nothing that its next host does not remove, and nothing of others is touched',
      { timeout: TEST_MS },
      async () => {
        const reviewing = Promise.withResolvers<undefined>();
        const project = GitProject.withFiles({ 'sum.sh': 'echo 1\n' });
        const line = await CommandLine.prepare({
          roles: {
            owner: [writes('sum.sh', 'echo 2\n'), submits('DONE'), submits('DONE')],
            reviewer: [
              async (call) => {
                process.kill(pid, 'SIGKILL');
                reviewing.resolve(undefined);
                return claudeSubmits(call);
              },
              claudeSubmits,
              speaks('It says 2.'),
            ],
          },
          environment: { CANARY_KEY: 'scripted', DOCKER_HOST: process.env['DOCKER_HOST'] },
        });
        const accounts = [{ name: 'work', key: { environment: 'CANARY_KEY' } }];
        const settings = {
          roles: {
            owner: { engine: 'anthropic', model },
            reviewer: { engine: 'claude-code', model },
            arbiter: null,
          },
          engines: { 'claude-code': { program: claude, accounts, baseUrl: line.server.url } },
        };
        writeFileSync(join(line.home, 'config.json'), JSON.stringify(settings));
        const host = await line.startHost();
        const { pid } = z.object({ pid: z.number() }).parse(JSON.parse(host.lines.join('')));
        line.start(['run', '--dir', project.directory, '--json', 'Say 2.']);
        await reviewing.promise;
        await host.ended;

        const [left, ...more] = await containersOf(line.home);
        expect(more).toEqual([]);
        const install = left?.Labels['dev.tribune.install'] ?? '';
        const boot = left?.Labels['dev.tribune.boot'] ?? '';
        const make = (labels: Record<string, string>) =>
          docker.createContainer({ Image: image, Entrypoint: [], Cmd: ['sleep', '1'], Labels: labels });
        const neverStarted = await make({ 'dev.tribune.install': install, 'dev.tribune.boot': boot });
        const others = await make({ 'dev.tribune.install': `not-${install}`, 'dev.tribune.boot': boot });
        onTestFinished(async () => {
          await others.remove({ force: true });
          await neverStarted.remove({ force: true }).catch(() => undefined);
        });

        const startedAt = performance.now();
        const next = await line.startHost();
        const events = line.follow();
        await events.until(
          ({ type, data }) => type === 'seal.noticed' && JSON.stringify(data).includes('Removed 2'),
        );
        expect(performance.now() - startedAt).toBeLessThan(CLEARED_MS);
        const ids = (await docker.listContainers({ all: true })).map(({ Id }) => Id);
        expect(ids).not.toContain(left?.Id);
        expect(ids).not.toContain(neverStarted.id);
        expect(ids).toContain(others.id);

        await events.until(({ type }) => type === 'task.completed');
        await next.interrupt();
        expect(await containersOf(line.home)).toEqual([]);
      },
    );

    async function containersOf(folder: string) {
      const listed = await docker.listContainers({ all: true });
      return listed.filter(({ Mounts }) => Mounts.some(({ Source }) => Source.startsWith(folder)));
    }
  });
});
