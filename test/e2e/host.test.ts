import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { methods } from '../../src/shared/contract/contract.ts';
import {
  escalationViewSchema,
  eventViewSchema,
  roomViewSchema,
  taskDetailSchema,
  taskViewSchema,
} from '../../src/shared/contract/views.ts';
import { CommandLine } from '../support/command-line.ts';
import { GitProject } from '../support/git-project.ts';
import { after, gate, runs, speaks, submits, writes } from '../support/scripted-roles.ts';
import type { RoleScripts } from '../support/scripted-roles.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const sentSchema = methods['messages.send'].output;

const finishes: RoleScripts = {
  owner: [writes('cart.txt', 'full\n'), submits('DONE'), speaks('')],
  reviewer: [submits('DONE')],
};

function shop(): GitProject {
  return GitProject.withFiles({ 'cart.txt': 'empty\n' });
}

/** The numbers that a program writes to a file, once it has. */
async function numbersIn(file: string): Promise<readonly number[]> {
  if (!existsSync(file)) {
    const folder = watch(dirname(file));
    while (!existsSync(file)) await once(folder, 'change');
    folder.close();
  }
  return readFileSync(file, 'utf8').trim().split(' ').map(Number);
}

/** Whether a process of this number runs; one that has ended, and that its parent did not ask about, does not. */
function lives(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

describe('a running host', () => {
  test('ends a task, and all processes of its turn, when `tribune stop` tells it to over the socket', async () => {
    const numbers = join(temporaryFolder('numbers'), 'pids');
    const line = await CommandLine.prepare({
      roles: {
        owner: [
          writes('cart.txt', 'half\n'),
          // One in the foreground, one in the background, one in a session of its own.
          runs(
            `sleep 1000 & a=$!; setsid sleep 1000 & echo "$$ $a $!" > ${numbers}.new; mv ${numbers}.new ${numbers}; exec sleep 1000`,
          ),
        ],
      },
    });
    const host = await line.startHost();
    const events = line.follow();
    const watching = line.start(['run', '--dir', shop().directory, '--json', 'Fill the cart.']);
    const started = await events.until(
      ({ type, data }) => type === 'tool.started' && data['tool'] === 'run_command',
    );
    const pids = await numbersIn(numbers);
    expect(pids.map(lives)).toEqual([true, true, true]);
    const task = started.task ?? '';
    const stopped = await line.json(taskViewSchema, ['stop', task]);
    expect(stopped).toMatchObject({ state: 'completed', ending: 'stopped' });
    expect(await watching.ended).toMatchObject({ code: 4 });
    await events.until(({ type }) => type === 'content.kept');
    expect(pids.map(lives)).toEqual([false, false, false]);
    const { task: shown } = await line.json(taskDetailSchema, ['show', task]);
    expect(shown.ending).toBe('stopped');
    expect(await host.interrupt()).toMatchObject({ code: 0 });
  });

  test('takes messages of other processes: one to the running turn, one to a new task', async () => {
    const thinking = gate();
    const line = await CommandLine.prepare({
      roles: {
        owner: [
          after(thinking.pass, writes('cart.txt', 'full\n')),
          submits('DONE'),
          speaks(''),
          submits('DONE'),
          speaks(''),
        ],
        reviewer: [submits('DONE'), submits('DONE')],
      },
    });
    await line.startHost();
    const watching = line.start([
      'run',
      '--dir',
      shop().directory,
      '--room',
      'shop',
      '--json',
      'Fill the cart.',
    ]);
    await thinking.reached;
    const sent = await line.json(sentSchema, ['send', 'shop', '--no-wait', 'Make it blue.']);
    thinking.open();
    const first = await watching.ended;
    expect(first, first.problems).toMatchObject({ code: 0 });
    expect(taskDetailSchema.parse(JSON.parse(first.out)).task.id).toBe(sent.task);
    expect(line.roles.callsOf('owner')[1]?.newest).toContain('Make it blue.');
    const { task } = await line.json(taskDetailSchema, ['send', 'shop', 'Polish it.']);
    expect(task).toMatchObject({ ending: 'reviewed' });
    expect(task.id).not.toBe(sent.task);
  });

  test('is not joined by a second one on the same data directory: 5, and why', async () => {
    const line = await CommandLine.prepare();
    await line.startHost();
    const second = await line.run(['start']);
    expect(second.code).toBe(5);
    expect(second.problems).toContain(line.home);
    expect(second.problems).toMatch(/Another|already/i);
    expect(await line.json(z.array(roomViewSchema), ['rooms'])).toEqual([]);
  });

  test('answers a question while the command that asked it still waits for the room', async () => {
    const line = await CommandLine.prepare({
      roles: {
        owner: [submits('BLOCKED'), ...(finishes.owner ?? [])],
        arbiter: [submits('ESCALATE')],
        reviewer: [submits('DONE')],
      },
    });
    await line.startHost();
    const events = line.follow();
    const asked = await line.json(taskDetailSchema, ['run', '--dir', shop().directory, 'Fill the cart.'], 3);
    const [question] = await line.json(z.array(escalationViewSchema), ['escalations']);
    expect(question?.task).toBe(asked.task.id);
    const answered = await line.json(taskViewSchema, [
      'answer',
      question?.id ?? '',
      'send_back',
      '--no-wait',
      'Go.',
    ]);
    expect(answered.state).toBe('active');
    await events.until(({ type }) => type === 'task.completed');
    const refused = await line.run(['answer', question?.id ?? '', 'stop']);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.problems).toContain('not open');
  });
});

describe('without a running host', () => {
  test('a task that Ctrl-C left stays as it is for a command that only looks, and goes on with the next host', async () => {
    const thinking = gate();
    const line = await CommandLine.prepare({
      roles: {
        owner: [after(thinking.pass, speaks('Too late.')), ...(finishes.owner ?? [])],
        reviewer: [submits('DONE')],
      },
    });
    const running = line.start(['run', '--dir', shop().directory, '--json', 'Fill the cart.']);
    await thinking.reached;
    const left = await running.interrupt();
    thinking.open();
    expect(left, left.problems).toMatchObject({ code: 130 });
    const [open] = await line.json(z.array(taskViewSchema), ['tasks', '--open']);
    expect(open?.state).toBe('active');
    await line.run(['show', open?.id ?? '']);
    expect(line.roles.calls).toHaveLength(1);

    await line.startHost();
    await line.follow().until(({ type }) => type === 'task.completed');
    const { task } = await line.json(taskDetailSchema, ['show', open?.id ?? '']);
    expect(task).toMatchObject({ id: open?.id, ending: 'reviewed' });
  });

  test('what needs one says so: 5, and how to start it', async () => {
    const line = await CommandLine.prepare();
    const ended = await line.run(['events', '--follow']);
    expect(ended.code).toBe(5);
    expect(ended.problems).toContain('tribune start');
  });

  test('the log is followed to the end of the host', async () => {
    const line = await CommandLine.prepare();
    const host = await line.startHost();
    const following = line.start(['events', '--follow', '--after', '0', '--json']);
    const first = await following.line((text) => text.includes('host.started'));
    expect(eventViewSchema.parse(JSON.parse(first)).seq).toBe(1);
    await host.interrupt();
    expect((await following.ended).code).toBe(5);
  });
});
