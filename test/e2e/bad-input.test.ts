import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { escalationViewSchema, taskDetailSchema } from '../../src/shared/contract/views.ts';
import { CommandLine } from '../support/command-line.ts';
import { GitProject } from '../support/git-project.ts';
import { speaks, submits, writes } from '../support/scripted-roles.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function shop(): GitProject {
  return GitProject.withFiles({ 'cart.txt': 'empty\n' });
}

const failureSchema = z.object({
  error: z.object({ tag: z.string(), message: z.string(), next: z.string() }),
});

describe('what cannot be done ends with a code, names the thing, and says what to do', () => {
  interface Case {
    readonly what: string;
    readonly words: (folder: string) => readonly string[];
    readonly code: number;
    readonly says: RegExp;
  }
  const cases: readonly Case[] = [
    {
      what: 'a directory that is not there',
      words: (folder) => ['run', '--dir', join(folder, 'nowhere'), 'Hello.'],
      code: 1,
      says: /nowhere does not exist.*--dir/s,
    },
    {
      what: 'a directory that is a file',
      words: (folder) => ['run', '--dir', join(folder, 'file'), 'Hello.'],
      code: 1,
      says: /file is not a directory.*--dir/s,
    },
    {
      what: 'a bare repository',
      words: (folder) => ['run', '--dir', join(folder, 'bare'), 'Hello.'],
      code: 1,
      says: /bare.*bare repository/s,
    },
    {
      what: 'a bad name for a room',
      words: (folder) => ['run', '--dir', join(folder, 'project'), '--room', 'Bad Name!', 'Hello.'],
      code: 2,
      says: /name: A room name is 1 to 64 of a-z/,
    },
    {
      what: 'an unknown room',
      words: () => ['send', 'nowhere', '--no-wait', 'Hello.'],
      code: 5,
      says: /No host is running/,
    },
    {
      what: 'an unknown task',
      words: () => ['show', 'task_unknown'],
      code: 1,
      says: /There is no task "task_unknown".*tribune tasks/s,
    },
    {
      what: 'an unknown escalation',
      words: () => ['answer', 'esc_unknown', 'stop'],
      code: 1,
      says: /esc_unknown.*tribune escalations/s,
    },
    {
      what: 'an unknown answer',
      words: () => ['answer', 'esc_unknown', 'perhaps'],
      code: 2,
      says: /accept, send_back, try_again, go_on, allow, refuse, stop/,
    },
    {
      what: 'an unknown engine',
      words: (folder) => ['run', '--dir', join(folder, 'project'), '--owner', 'oracle:9', 'Hello.'],
      code: 2,
      says: /no engine "oracle".*anthropic/s,
    },
    {
      what: 'no message',
      words: (folder) => ['run', '--dir', join(folder, 'project')],
      code: 2,
      says: /There is no message/,
    },
    { what: 'an unknown command', words: () => ['dance'], code: 2, says: /unknown command 'dance'.*--help/s },
  ];

  test.each(cases)('$what: $code', async ({ words, code, says }) => {
    const folder = temporaryFolder('things');
    writeFileSync(join(folder, 'file'), '');
    GitProject.withFiles({ 'a.txt': 'a\n' }, join(folder, 'project'));
    new GitProject(join(folder, 'bare')).git('init', '--quiet', '--bare');
    const line = await CommandLine.prepare();
    const ended = await line.run(words(folder));
    expect(ended, ended.problems).toMatchObject({ code, out: '' });
    expect(ended.problems).toMatch(says);
  });

  test('a message that is longer than a person writes: 2', async () => {
    const line = await CommandLine.prepare();
    const words = ['run', '--dir', shop().directory, '-'];
    const ended = await line.run(words, { input: 'x'.repeat(100_001) });
    expect(ended, ended.problems).toMatchObject({ code: 2 });
    expect(ended.problems).toMatch(/text: .*100000/);
  });

  test('applying what conflicts with the checkout: 1, and nothing is touched', async () => {
    const line = await CommandLine.prepare({
      roles: {
        owner: [writes('cart.txt', 'full\n'), writes('bill.txt', 'open\n'), submits('DONE'), speaks('')],
        reviewer: [submits('DONE')],
      },
    });
    const project = shop();
    const { task } = await line.json(taskDetailSchema, ['run', '--dir', project.directory, 'Fill it.']);
    project.write({ 'cart.txt': 'mine\n' });
    const refused = await line.run(['apply', task.id]);
    expect(refused, refused.problems).toMatchObject({ code: 1 });
    expect(refused.problems).toContain('cart.txt');
    expect(project.text('cart.txt')).toBe('mine\n');
    expect(project.has('bill.txt')).toBe(false);
  });

  test('with --json as a document too', async () => {
    const line = await CommandLine.prepare();
    const { error } = await line.json(failureSchema, ['show', 'task_unknown'], 1);
    expect(error).toMatchObject({ tag: 'not_found' });
  });
});

describe('a data directory that cannot be used', () => {
  test.each([
    {
      what: 'a config.json that is broken',
      spoil: (home: string) => {
        writeFileSync(join(home, 'config.json'), '{ "turnsAtOnce": "many" }');
      },
      says: /config\.json cannot be used:.*turnsAtOnce.*Correct or remove/s,
    },
    {
      what: 'a database that is none',
      spoil: (home: string) => {
        writeFileSync(join(home, 'tribune.db'), 'Not a database, but words.'.repeat(500));
      },
      says: /tribune\.db is damaged.*Move/s,
    },
    {
      what: 'a database of a newer version',
      spoil: (home: string) => {
        const database = new Database(join(home, 'tribune.db'));
        database.pragma('user_version = 4711');
        database.close();
      },
      says: /tribune\.db.*newer/is,
    },
    {
      what: 'a database that another program holds locked',
      spoil: (home: string) => {
        const database = new Database(join(home, 'tribune.db'));
        database.exec('CREATE TABLE held (a)');
        database.exec('BEGIN EXCLUSIVE');
        onTestFinished(() => {
          database.close();
        });
      },
      says: /tribune\.db locked.*Close the program/s,
    },
  ])('$what: 5', async ({ spoil, says }) => {
    const line = await CommandLine.prepare();
    spoil(line.home);
    const ended = await line.run(['run', '--dir', shop().directory, 'Fill the cart.']);
    expect(ended, ended.problems).toMatchObject({ code: 5, out: '' });
    expect(ended.problems).toMatch(says);
  });

  test('one that cannot be written: 5', async () => {
    const folder = temporaryFolder('closed');
    chmodSync(folder, 0o555);
    const line = await CommandLine.prepare({
      through: asOrdinaryUser(),
      environment: { TRIBUNE_HOME: join(folder, 'data') },
    });
    const ended = await line.run(['tasks']);
    expect(ended, ended.problems).toMatchObject({ code: 5 });
    expect(ended.problems).toMatch(/data directory .* cannot be used.*Choose a directory/s);
  });
});

describe('a work directory that is read-only', () => {
  test('asks a person, and goes on when it can be written', async () => {
    const line = await CommandLine.prepare({
      through: asOrdinaryUser(),
      roles: {
        owner: [writes('cart.txt', 'full\n'), submits('DONE'), speaks('')],
        reviewer: [submits('DONE')],
      },
    });
    const project = shop();
    const closed = [
      '.git',
      '.git/worktrees',
      '.git/refs/heads',
      '.git/logs',
      '.git/logs/refs/heads',
      '.',
    ].map((name) => project.path(name));
    mkdirSync(project.path('.git/worktrees'));
    for (const path of closed) chmodSync(path, 0o555);
    onTestFinished(() => {
      for (const path of closed) chmodSync(path, 0o755);
    });
    const asked = await line.json(taskDetailSchema, ['run', '--dir', project.directory, 'Fill it.'], 3);
    expect(asked.escalation?.text).toMatch(/No permission: .*shop.*Give yourself access/s);
    for (const path of closed) chmodSync(path, 0o755);
    const [question] = await line.json(z.array(escalationViewSchema), ['escalations']);
    const { task } = await line.json(taskDetailSchema, ['answer', question?.id ?? '', 'try_again']);
    expect(task.ending).toBe('reviewed');
  });
});

/** Root may write everywhere; a process that has given that right up is held to the modes of files, as others are. */
function asOrdinaryUser(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const rights = '-dac_override,-dac_read_search';
  return ['setpriv', `--inh-caps=${rights}`, `--bounding-set=${rights}`];
}

test('a database that cannot grow ends the host with its reason, not its stack, and the next one goes on', async () => {
  const project = shop();
  const talker = join(temporaryFolder('agent'), 'talker.sh');
  writeFileSync(
    talker,
    '#!/bin/sh\ncat > /dev/null\nhead -c 30000 /dev/zero | tr "\\0" x\nprintf "\\n\\nDONE\\n"\n',
  );
  chmodSync(talker, 0o755);
  const free = await CommandLine.prepare();
  // Made before the limit, so that only what comes after meets it.
  expect((await free.run(['tasks'])).code).toBe(0);
  const limited = await CommandLine.prepare({
    through: ['sh', '-c', 'ulimit -f 800; exec "$@"', 'sh'],
    environment: { TRIBUNE_HOME: free.home },
  });
  const run = [
    'run',
    '--dir',
    project.directory,
    '--mode',
    'single',
    '--owner',
    `command:${talker}`,
    'Talk.',
  ];
  const broken = await limited.run(run);
  expect(broken.code).toBe(1);
  expect(broken.problems).toMatch(/tribune\.db could not be .*\n.*space/);
  expect(broken.problems).not.toContain('    at ');

  const again = await free.run(['send', 'shop', 'Go on.']);
  expect(again, again.problems).toMatchObject({ code: 0 });
  expect(again.out).toContain('Taken up by the open task: Talk.');
});
