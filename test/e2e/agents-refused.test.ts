import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connectSocket } from '../../src/main/cli/socket-client.ts';
import { escalationViewSchema, eventViewSchema } from '../../src/shared/contract/views.ts';
import { CommandLine } from '../support/command-line.ts';
import { GitProject } from '../support/git-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const tribune = resolve(import.meta.dirname, '../../out/main/tribune.js');

/** An owner's program with these lines of shell. */
function program(name: string, ...lines: readonly string[]): string {
  const path = join(temporaryFolder('owner'), name);
  writeFileSync(path, ['#!/bin/sh', 'cat > /dev/null', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

/** Asks the host over its socket, without our client, one request an argument; prints what comes back. */
const raw = `
  const [path, ...requests] = process.argv.slice(2);
  const socket = require('node:net').createConnection(path);
  socket.end(requests.map((request) => request + '\\n').join(''));
  socket.pipe(process.stdout);
`;

/** Hands its connection to a child and is gone before that asks. */
const handedOn = `
  const [path, request] = process.argv.slice(2);
  const { spawn } = require('node:child_process');
  const { Socket, createConnection } = require('node:net');
  if (path === 'handed') {
    setTimeout(() => new Socket({ fd: 3 }).end(request + '\\n').pipe(process.stdout), 300);
  } else {
    const socket = createConnection(path, () => {
      const stdio = ['ignore', 'inherit', 'inherit', socket._handle.fd];
      spawn(process.execPath, [__filename, 'handed', request], { stdio, detached: true });
      process.exit();
    });
  }
`;

test('an agent can neither answer nor stop, apply, configure or say anything as the person; a person can', async () => {
  const line = await CommandLine.prepare();
  const host = await line.startHost();
  const shop = GitProject.withFiles({ 'cart.txt': 'empty\n' });
  const asking = `command:${program('asking', 'echo BLOCKED', 'echo "Which cart?"')}`;
  const alone = ['--mode', 'single'];
  await line.run([
    'run',
    '--dir',
    shop.directory,
    '--room',
    'asking',
    ...alone,
    '--owner',
    asking,
    'Fill it.',
  ]);
  const [question] = await line.json(z.array(escalationViewSchema), ['escalations']);
  if (question === undefined) throw new Error('The owner has asked nothing.');

  const said = join(temporaryFolder('said'), 'said');
  const socket = join(line.home, 'host.sock');
  const ask = (method: string, params: unknown): string =>
    `'${JSON.stringify({ id: method, method, params })}'`;
  const answer = ask('escalations.answer', { escalation: question.id, answer: 'stop' });
  const scripts = temporaryFolder('scripts');
  const rawly = join(scripts, 'raw.cjs');
  writeFileSync(rawly, raw);
  const handing = join(scripts, 'handed-on.cjs');
  writeFileSync(handing, handedOn);
  const node = `'${process.execPath}'`;
  const own = `TRIBUNE_HOME='${line.home}' ${node} '${tribune}'`;
  const trying = program(
    'trying',
    `exec 3>&1 > '${said}' 2>&1`,
    `${own} answer ${question.id} stop --no-wait`,
    `${own} stop ${question.task}`,
    [
      `${node} ${rawly} '${socket}'`,
      answer,
      ask('tasks.apply', { task: question.task }),
      ask('messages.send', { room: 'asking', text: 'I am the person.' }),
      ask('rooms.create', { name: 'mine', directory: shop.directory }),
    ].join(' '),
    // Without its mark, in a session of its own.
    `env -i setsid -w ${node} ${rawly} '${socket}' ${answer}`,
    `${node} ${handing} '${socket}' ${answer}`,
    'sleep 1',
    // Looking is no decision.
    `${own} tasks --json`,
    'echo DONE >&3',
  );
  await line.run([
    ...['run', '--dir', GitProject.withFiles({ 'list.txt': '1\n' }).directory, '--room', 'trying', ...alone],
    ...['--owner', `command:${trying}`, 'Try it.'],
  ]);

  const words = readFileSync(said, 'utf8');
  const refused = (await line.json(z.array(eventViewSchema), ['events']))
    .filter(({ type }) => type === 'client.refused')
    .map(({ data }) => z.object({ method: z.string(), client: z.string() }).parse(data));
  expect(
    refused.map(({ method }) => method),
    words,
  ).toEqual([
    'escalations.answer',
    'tasks.stop',
    'escalations.answer',
    'tasks.apply',
    'messages.send',
    'rooms.create',
    'escalations.answer',
    'escalations.answer',
  ]);
  expect(refused[0]?.client).toMatch(/^a client of the socket, pid \d+ \(node < sh < node/);
  expect(words).toContain('is for people');
  expect(words).toContain('no longer runs');
  expect(words).toContain(question.task);

  const still = await line.json(z.array(escalationViewSchema), ['escalations']);
  expect(still.map(({ id, shown }) => ({ id, shown }))).toEqual([{ id: question.id, shown: question.shown }]);
  expect(await line.run(['answer', question.id, 'stop', '--no-wait'])).toMatchObject({ code: 0 });
  const client = await connectSocket(socket);
  if (!client.ok) throw new Error(client.failure.message);
  const late = await client.value.call('escalations.answer', {
    escalation: question.id,
    answer: 'stop',
    text: '',
    criteria: [],
    dropped: [],
  });
  await client.value.close();
  expect(late).toMatchObject({
    failure: {
      message: expect.stringMatching(
        /by a client of the socket, pid \d+ \(node < [^)]+\), uid \d+/,
      ) as string,
    },
  });
  expect(await host.interrupt()).toMatchObject({ code: 0 });
}, 60_000);
