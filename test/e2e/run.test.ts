import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  escalationViewSchema,
  eventViewSchema,
  roomViewSchema,
  taskDetailSchema,
  taskViewSchema,
} from '../../src/shared/contract/views.ts';
import { CommandLine } from '../support/command-line.ts';
import { GitProject } from '../support/git-project.ts';
import { reads, runs, speaks, submits, writes } from '../support/scripted-roles.ts';
import type { RoleScripts } from '../support/scripted-roles.ts';

/** A project whose own check fails until the cart is full. */
function shop(): GitProject {
  return GitProject.withFiles({
    'cart.txt': 'empty\n',
    'check.sh': 'grep -q full cart.txt && echo "check passes" || { echo "check fails"; exit 1; }\n',
  });
}

const finishes: RoleScripts = {
  owner: [writes('cart.txt', 'full\n'), submits('DONE'), speaks('')],
  reviewer: [submits('DONE')],
};

describe('tribune run', () => {
  test('works on a real project, is sent back, and ends as done: 0; what was approved is applied', async () => {
    const project = shop();
    const line = await CommandLine.prepare({
      roles: {
        owner: [
          runs('sh check.sh'),
          writes('cart.txt', 'half\n'),
          submits('DONE', { criteria: ['check.sh passes.'] }),
          writes('cart.txt', 'full\n'),
          runs('sh check.sh'),
          submits('DONE'),
          speaks(''),
        ],
        reviewer: [
          reads('cart.txt'),
          submits('DONE_WITH_CONCERNS', {
            judgements: [{ id: 'C1', judgement: 'unmet' }],
            findings: [{ criterion: 'C1', severity: 'blocking', place: 'cart.txt:1', text: 'Only half.' }],
          }),
          submits('DONE', {
            judgements: [
              { id: 'C1', judgement: 'met' },
              { id: 'F1', judgement: 'met' },
            ],
          }),
        ],
      },
    });
    const ran = await line.run(['run', '--dir', project.directory, 'Fill the cart.']);
    expect(ran, ran.problems).toMatchObject({ code: 0 });
    expect(ran.out).toContain('Only half.');
    expect(ran.out).toContain('Done, reviewed.');
    expect(ran.out).not.toContain('\u001b');
    expect(project.status).toBe('');

    const [, tested] = line.roles.callsOf('owner');
    expect(tested?.newest).toContain('check fails');
    const [task] = await line.json(z.array(taskViewSchema), ['tasks']);
    expect(task).toMatchObject({ ending: 'reviewed', rounds: 1 });
    const id = task?.id ?? '';
    expect(ran.out).toContain(`tribune apply ${id}`);
    await line.json(z.object({ paths: z.tuple([z.literal('cart.txt')]) }), ['apply', id]);
    expect(project.text('cart.txt')).toBe('full\n');
    const { changes } = await line.json(taskDetailSchema, ['show', id.slice(-8)]);
    expect(changes).toMatchObject([{ path: 'cart.txt', additions: 1, deletions: 1 }]);
    const shown = await line.run(['show', id, '--diff']);
    expect(shown.out).toContain('+full');
  });

  test('prints one JSON document, the task as it ended, and its story on standard error', async () => {
    const project = shop();
    const line = await CommandLine.prepare({ roles: finishes });
    const ran = await line.run(['run', '--json', '--dir', project.directory, 'Fill the cart.']);
    expect(ran.code).toBe(0);
    expect(taskDetailSchema.parse(JSON.parse(ran.out)).task.ending).toBe('reviewed');
    expect(ran.problems).toContain('Owner works');
  });

  test('escalates: 3, with the commands that answer; answered on the command line it ends: 0', async () => {
    const project = shop();
    const line = await CommandLine.prepare({
      roles: {
        owner: [submits('BLOCKED', { summary: 'Which cart?' }), ...(finishes.owner ?? [])],
        arbiter: [submits('ESCALATE', { summary: 'The person must say which cart.' })],
        reviewer: [submits('DONE')],
      },
    });
    const ran = await line.run(['run', '--dir', project.directory, 'Fill the cart.']);
    expect(ran, ran.problems).toMatchObject({ code: 3 });
    expect(ran.out).toContain('The person must say which cart.');
    const [question] = await line.json(z.array(escalationViewSchema), ['escalations']);
    const id = question?.id ?? '';
    for (const answer of question?.answers ?? []) expect(ran.out).toContain(`tribune answer ${id} ${answer}`);

    const answered = await line.run(['answer', id.slice(-8), 'send-back', 'The only one.']);
    expect(answered, answered.problems).toMatchObject({ code: 0 });
    expect(answered.out).toContain('Done, reviewed.');
    expect(line.roles.callsOf('owner')[1]?.prompt).toContain('The only one.');
    expect(await line.json(z.array(escalationViewSchema), ['escalations'])).toEqual([]);
  });

  test('what waits for a person can be accepted: 0, or stopped: 4', async () => {
    const blocked = [writes('cart.txt', 'half\n'), submits('BLOCKED')];
    const line = await CommandLine.prepare({
      roles: { owner: [...blocked, ...blocked], arbiter: [submits('ESCALATE'), submits('ESCALATE')] },
    });
    const project = shop();
    for (const [answer, code, ending] of [
      ['accept', 0, 'accepted'],
      ['stop', 4, 'stopped'],
    ] as const) {
      const asked = await line.json(taskDetailSchema, ['run', '--dir', project.directory, 'Fill it.'], 3);
      const { task } = await line.json(
        taskDetailSchema,
        ['answer', asked.escalation?.id ?? '', answer],
        code,
      );
      expect(task.ending).toBe(ending);
    }
  });

  test('runs out of its budget: 3; going on it ends: 0', async () => {
    const line = await CommandLine.prepare({
      roles: {
        owner: [
          writes('cart.txt', 'full\n', { usage: { output_tokens: 200_000 } }),
          submits('DONE'),
          speaks(''),
        ],
        reviewer: [submits('DONE')],
      },
    });
    const words = ['run', '--dir', shop().directory, '--budget-usd', '1', 'Fill the cart.'];
    const asked = await line.json(taskDetailSchema, words, 3);
    expect(asked.escalation).toMatchObject({ limit: 'usd' });
    const { task } = await line.json(taskDetailSchema, ['answer', asked.escalation?.id ?? '', 'go_on']);
    expect(task.ending).toBe('reviewed');
  });

  test('a key that is refused is a question too; with a good one the same message is worked on', async () => {
    const line = await CommandLine.prepare({ roles: finishes, server: { apiKey: 'the-good-one' } });
    const environment = { ANTHROPIC_API_KEY: 'the-good-one' };
    const asked = await line.json(taskDetailSchema, ['run', '--dir', shop().directory, 'Fill the cart.'], 3);
    expect(asked.escalation?.text).toMatch(/ANTHROPIC_API_KEY/);
    const ended = await line.run(['answer', asked.escalation?.id ?? '', 'try_again'], { environment });
    expect(ended, ended.problems).toMatchObject({ code: 0 });
    expect(line.roles.callsOf('owner')[0]?.prompt).toContain('Fill the cart.');
  });

  test('reads a message from standard input', async () => {
    const line = await CommandLine.prepare({ roles: finishes });
    const words = ['run', '--dir', shop().directory, '-'];
    expect(await line.run(words, { input: 'Fill the cart,\nto the brim.\n' })).toMatchObject({ code: 0 });
    expect(line.roles.callsOf('owner')[0]?.prompt).toContain('to the brim.');
  });

  test('a single room, made on the command line, ends as done, unreviewed', async () => {
    const line = await CommandLine.prepare({
      roles: { owner: [writes('cart.txt', 'full\n'), submits('DONE')] },
    });
    const words = ['run', '--dir', shop().directory, '--mode', 'single', '--room', 'alone', 'Fill the cart.'];
    const { task } = await line.json(taskDetailSchema, words);
    expect(task).toMatchObject({ room: 'alone', ending: 'unreviewed' });
    const [room] = await line.json(z.array(roomViewSchema), ['rooms']);
    expect(room?.settings).toMatchObject({ name: 'alone', mode: 'single' });
  });

  test('the log of what happened can be read afterwards, of one task too', async () => {
    const line = await CommandLine.prepare({ roles: finishes });
    const { task } = await line.json(taskDetailSchema, ['run', '--dir', shop().directory, 'Fill the cart.']);
    const all = await line.json(z.array(eventViewSchema), ['events']);
    const own = await line.json(z.array(eventViewSchema), ['events', '--task', task.id]);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    expect(own.length).toBeLessThan(all.length);
    expect(own.every((event) => event.task === task.id)).toBe(true);
    expect(own.map(({ type }) => type)).toContain('task.completed');
  });
});
