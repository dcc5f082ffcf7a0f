import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { eventViewSchema, taskDetailSchema } from '../../src/shared/contract/views.ts';
import type { EventView } from '../../src/shared/contract/views.ts';
import { calls, fails } from '../fakes/messages-server/script.ts';
import * as responses from '../fakes/responses-server/script.ts';
import { startResponsesServer } from '../fakes/responses-server/server.ts';
import type { ResponsesServer } from '../fakes/responses-server/server.ts';
import { describeWithCodingClis } from '../support/coding-clis.ts';
import { CommandLine } from '../support/command-line.ts';
import { GitProject } from '../support/git-project.ts';
import { describeWithReviewerImage } from '../support/reviewer-image.ts';
import { after, speaks } from '../support/scripted-roles.ts';
import type { RoleScripts, Step } from '../support/scripted-roles.ts';

/** Starts of real programs and of a container take their time where other tests run beside. */
const TEST_MS = 120_000;

/** Who the agent's program runs as inside: the host's own user, but never root. */
const agent = String(process.getuid?.() || 1_000);

/** The person's key: it may be nowhere but in what is sent to the API. */
const CANARY = 'sk-ant-canary-7Yw2kq0Zr5';

const claudeSubmits =
  (verdict: string, details: Readonly<Record<string, unknown>> = {}): Step =>
  ({ nonce }) =>
    calls('mcp__tribune__submit_verdict', { verdict, nonce, summary: `I say ${verdict}.`, ...details });

const bash =
  (command: string): Step =>
  () =>
    calls('Bash', { command });

const claudeRuns =
  (command: string): Step =>
  () =>
    calls('mcp__tribune__run', { command });

const codexRuns = (command: string): responses.Reply => responses.calls('mcp__tribune__run', { command });

const codexSubmits =
  (verdict: string, details: Readonly<Record<string, unknown>> = {}): responses.Script =>
  (request) => {
    const nonce = [...JSON.stringify(request.input).matchAll(/nonce of this turn is (\w+)\./g)].at(-1)?.[1];
    const verdictCall = { verdict, nonce, summary: `I say ${verdict}.`, ...details };
    return responses.calls('mcp__tribune__submit_verdict', verdictCall);
  };

const allMet = {
  judgements: [
    { id: 'C1', judgement: 'met' },
    { id: 'F1', judgement: 'met' },
  ],
};
const unmet = {
  judgements: [{ id: 'C1', judgement: 'unmet' }],
  findings: [{ criterion: 'C1', severity: 'blocking', place: 'sum.sh', text: 'It multiplies.' }],
};

const onClaude = { engine: 'claude-code', model: 'claude-sonnet-5-5' };
const onCodex = { engine: 'codex', model: 'gpt-5.6-terra' };

const multiplies = bash("printf 'echo $(($1 * $2))\\n' > sum.sh");
const adds = bash("printf 'echo $(($1 + $2))\\n' > sum.sh");

describeWithCodingClis('a tribunal of coding agents', ({ claude, codex }) => {
  describeWithReviewerImage('with its reviewer sealed', ({ docker }) => {
    /** A host whose roles are Claude Code's where the settings say nothing else. */
    async function bench(
      roles: RoleScripts,
      { codexApi, ...config }: { readonly codexApi?: ResponsesServer } & Readonly<Record<string, unknown>>,
    ): Promise<{ line: CommandLine; project: GitProject; work: () => Promise<Ended> }> {
      const line = await CommandLine.prepare({
        roles,
        server: { apiKey: CANARY },
        environment: {
          ANTHROPIC_API_KEY: undefined,
          CANARY_KEY: CANARY,
          DOCKER_HOST: process.env['DOCKER_HOST'],
        },
      });
      const account = { name: 'work', key: { environment: 'CANARY_KEY' } };
      const engines = {
        'claude-code': { program: claude, accounts: [account], baseUrl: line.server.url },
        codex: { program: codex, accounts: [account], baseUrl: codexApi?.url ?? null },
      };
      const settings = JSON.stringify({
        roles: { owner: onClaude, reviewer: onClaude, arbiter: null },
        engines,
        ...config,
      });
      writeFileSync(join(line.home, 'config.json'), settings);
      const project = GitProject.withFiles({
        'sum.sh': 'echo $(($1 - $2))\n',
        'test.sh': '[ "$(sh sum.sh 2 3)" = 5 ]\n',
      });
      const work = (): Promise<Ended> =>
        line.run(['run', '--dir', project.directory, '--json', 'Make sum.sh add.']);
      return { line, project, work };
    }

    /** What Docker tells of the host's container, and what every process in it has for its environment and arguments. */
    async function lookInside(line: CommandLine): Promise<string> {
      const [id = ''] = await containersWith(line.home);
      const container = docker.getContainer(id);
      const command = 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null';
      // Its own processes are all that the agent's user can read there, and they are who might hold a key.
      const exec = await container.exec({ Cmd: ['sh', '-c', command], User: agent, AttachStdout: true });
      const output = await text(await exec.start({}));
      return JSON.stringify(await container.inspect()) + output.replaceAll('\0', '\n');
    }

    it(
      'works, runs the tests in the container, sends the work back, approves it and applies it',
      { timeout: TEST_MS },
      async () => {
        let seen = '';
        const look = async (): Promise<void> => {
          seen = await lookInside(line);
        };
        const { line, project, work } = await bench(
          {
            owner: [
              multiplies,
              claudeSubmits('DONE'),
              speaks('It multiplies now.'),
              adds,
              claudeSubmits('DONE'),
              speaks('It adds now.'),
              claudeSubmits('DONE'),
              speaks('Nothing is left to do.'),
            ],
            reviewer: [
              after(look, claudeRuns('sh test.sh; echo "exit $?"; touch written-by-the-test; env')),
              claudeSubmits('DONE_WITH_CONCERNS', unmet),
              speaks('The test fails.'),
              claudeRuns('sh test.sh; echo "exit $?"; ls'),
              claudeSubmits('DONE', allMet),
              speaks('The test passes.'),
            ],
          },
          {},
        );
        const done = await work();
        expect(done.code, done.problems).toBe(0);
        const { task } = taskDetailSchema.parse(JSON.parse(done.out));
        expect(task).toMatchObject({ state: 'completed', ending: 'reviewed' });

        const events = await eventsOf(line);
        expect(events.filter(({ type }) => type === 'turn.sealed')).toHaveLength(2);
        const reviews = line.roles.callsOf('reviewer').map(({ newest }) => newest);
        expect(reviews[1]).toContain('exit 1');
        expect(reviews[4]).toContain('exit 0');
        // What a command of an earlier turn wrote is gone with that turn.
        expect(reviews[4]).not.toContain('written-by-the-test');

        // The program of the agent was there, and its gate.
        expect(seen).toMatch(/claude[^]*--mcp-config/);
        expect(seen).toContain(line.home);
        expect(seen + reviews.join()).not.toContain(CANARY);
        expect(keptIn(line.home)).toEqual([]);

        const applied = await line.run(['apply', task.id]);
        expect(applied.code, applied.problems).toBe(0);
        expect(project.text('sum.sh')).toBe('echo $(($1 + $2))\n');
        expect(await containersWith(line.home)).toEqual([]);
      },
    );

    it(
      'has Codex work, and takes the review to it where Claude Code is used up',
      { timeout: TEST_MS },
      async () => {
        const codexApi = await startResponsesServer(
          responses.inTurn(
            responses.calls('exec_command', { cmd: "printf 'echo $(($1 + $2))\\n' > sum.sh" }),
            codexSubmits('DONE'),
            responses.says('It adds now.'),
            codexRuns('sh test.sh; echo "exit $?"'),
            codexSubmits('DONE', { judgements: [{ id: 'C1', judgement: 'met' }] }),
            responses.says('The test passes.'),
            codexSubmits('DONE'),
            responses.says('Nothing is left to do.'),
          ),
          { apiKey: CANARY },
        );
        onTestFinished(() => codexApi.close());
        const resetsAt = Math.round(Date.now() / 1_000) + 3_600;
        const usedUp: Step = () =>
          fails(429, 'rate_limit_error', 'You have reached your usage limit.', {
            'anthropic-ratelimit-unified-status': 'rejected',
            'anthropic-ratelimit-unified-reset': String(resetsAt),
          });
        const { line, work } = await bench(
          // It tries twice more by itself.
          { reviewer: [usedUp, usedUp, usedUp] },
          {
            codexApi,
            roles: { owner: onCodex, reviewer: onClaude, arbiter: null },
            fallbacks: { reviewer: onCodex },
          },
        );
        const done = await work();
        expect(done.code, done.problems).toBe(0);
        const events = await eventsOf(line);
        const [handedOver] = events.filter(({ type }) => type === 'turn.handed_over');
        expect(handedOver?.data).toMatchObject({ role: 'reviewer' });
        expect(JSON.stringify(codexApi.requests[4]?.input)).toContain('exit 0');
        expect(codexApi.refusals).toEqual([]);
        expect(keptIn(line.home)).toEqual([]);
      },
    );

    /** Containers, in whatever state, into which something of this folder is mounted. */
    async function containersWith(folder: string): Promise<readonly string[]> {
      const listed = await docker.listContainers({ all: true });
      return listed
        .filter(({ Mounts }) => Mounts.some(({ Source }) => Source.startsWith(folder)))
        .map(({ Id }) => Id);
    }
  });
});

type Ended = Awaited<ReturnType<CommandLine['run']>>;

/** Files in which the key is found: database, log and all that the host keeps. */
function keptIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(CANARY));
}

async function eventsOf(line: CommandLine): Promise<readonly EventView[]> {
  return line.json(z.array(eventViewSchema), ['events']);
}
