import { execFile, execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { taskDetailSchema } from '../../src/shared/contract/views.ts';

const root = resolve(import.meta.dirname, '..', '..');
const tribuneFile = join(root, 'out', 'main', 'tribune.js');

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly problems: string;
}

let home: string;
let project: string;
let children: ChildProcess[];

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tribune-cli-')));
  project = join(home, 'shop');
  children = [];
  await mkdir(project);
  await writeFile(join(project, 'list.txt'), 'one\n');
  const git = (...words: string[]): void => {
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...words], {
      cwd: project,
    });
  };
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  await agent('owner', 'grep -q two list.txt || echo two >> list.txt; echo "Added a line."; echo; echo DONE');
  await agent('reviewer', 'echo DONE');
});

afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(home, { recursive: true, force: true });
});

async function agent(name: string, script: string): Promise<void> {
  const path = join(home, `${name}.sh`);
  await writeFile(path, `#!/bin/sh\ncat > /dev/null\n${script}\n`);
  await chmod(path, 0o755);
}

function launch(words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [tribuneFile, ...words], {
    cwd: home,
    // As a build server sets it, for whose log some libraries turn colours on.
    env: { ...process.env, TRIBUNE_HOME: join(home, 'data'), ANTHROPIC_API_KEY: '', CI: 'true' },
  });
  children.push(child);
  return child;
}

async function ended(child: ChildProcess, input = ''): Promise<Ended> {
  let out = '';
  let problems = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (problems += text));
  child.stdin?.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, problems };
}

const tribune = (...words: string[]): Promise<Ended> => ended(launch(words));

const run = (...words: string[]): Promise<Ended> =>
  tribune(
    'run',
    '--dir',
    'shop',
    '--owner',
    'command:./owner.sh',
    '--reviewer',
    'command:./reviewer.sh',
    ...words,
  );

/** Waits until a child has printed something, and gives all that it printed until then. */
function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (pattern.test(out)) resolve(out);
    });
    child.once('exit', () => {
      reject(new Error(`It ended without printing ${String(pattern)}: ${out}`));
    });
  });
}

describe('without a host', () => {
  it('prints its help', async () => {
    const { code, out } = await tribune('--help');
    expect(code).toBe(0);
    expect(out).toContain('tribune run --dir');
  });

  it('says what a new worktree lacks, told from the lock files of the project', async () => {
    await writeFile(join(project, 'package-lock.json'), '{"lockfileVersion":3,"packages":{}}');
    const { code, out } = await run('Add a line.');
    expect(code).toBe(0);
    expect(out).toContain("If the work needs it: --setup 'npm ci' --dependency node_modules");
    expect((await run('Add another line.')).out).not.toContain('--setup');
  });

  it('reads verdicts as one line of JSON', async () => {
    const cases = z
      .array(z.object({ role: z.string(), text: z.string(), verdict: z.string().nullable() }))
      .parse(JSON.parse(await readFile(join(root, 'test', 'fixtures', 'verdicts.json'), 'utf8')));
    const every = Math.ceil(cases.length / 12);
    for (const { role, text, verdict } of cases.filter((_, at) => at % every === 0)) {
      const { code, out } = await ended(launch(['verdict', '--role', role]), text);
      expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^\{.*\}\n$/) as string });
      expect({ text, read: JSON.parse(out) as unknown }).toMatchObject({ text, read: { verdict } });
    }
  });

  it('says what is wrong with a command line', async () => {
    const { code, problems } = await tribune('tasks', '--limit', 'many');
    expect(code).toBe(2);
    expect(problems).toContain('whole number');
    expect((await run('--room', 'Bad Name', 'x')).code).toBe(2);
  });

  it('says that a host is missing where one has to run', async () => {
    for (const words of [
      ['events', '--follow'],
      ['send', 'shop', '--no-wait', 'x'],
    ]) {
      const { code, problems } = await tribune(...words);
      expect(code).toBe(5);
      expect(problems).toContain('tribune start');
    }
  });

  it('says what to do in a directory that is gone', async () => {
    const script = `mkdir gone && cd gone && rmdir "$PWD" && exec "${process.execPath}" "${tribuneFile}" tasks`;
    const { code, problems } = await ended(spawn('/bin/sh', ['-c', script], { cwd: home }));
    expect(code).toBe(1);
    expect(problems).toMatch(/^Error: The current directory does not exist any more[^\n]*\nGo to one/);
  });

  it('says what to do in a checkout that is not installed', async () => {
    await mkdir(join(home, 'bin'));
    await copyFile(join(root, 'bin', 'tribune'), join(home, 'bin', 'tribune'));
    expect(await ended(spawn(join(home, 'bin', 'tribune'), ['tasks']))).toEqual({
      code: 1,
      out: '',
      problems: `Tribune is not installed yet: run \`npm ci\` in ${home}.\n`,
    });
  });

  it('ends quietly when its reader does', async () => {
    await run('Add a line.');
    const command = `"${process.execPath}" "${tribuneFile}" events | head -1`;
    const problems = await new Promise<string>((resolve) => {
      const env = { ...process.env, TRIBUNE_HOME: join(home, 'data') };
      execFile('/bin/sh', ['-c', command], { env }, (_error, _out, text) => {
        resolve(text);
      });
    });
    expect(problems).toBe('');
  });
});

describe('a piece of work', () => {
  it('is done, reviewed, shown and applied', async () => {
    const done = await run('--json', 'Add a line.');
    expect(done.code, done.problems).toBe(0);
    const { task, changes } = taskDetailSchema.parse(JSON.parse(done.out));
    expect(task).toMatchObject({
      state: 'completed',
      ending: 'reviewed',
      room: 'shop',
      title: 'Add a line.',
    });
    expect(changes.map(({ path }) => path)).toEqual(['list.txt']);

    const listed = await tribune('tasks');
    expect(listed.out).toContain(task.id.slice(-8));
    const diff = await tribune('show', task.id.slice(-8).toLowerCase(), '--diff');
    expect(diff.out).toContain('+two');
    expect(await readFile(join(project, 'list.txt'), 'utf8')).toBe('one\n');

    const applied = await tribune('apply', task.id.slice(-8));
    expect(applied.code, applied.problems).toBe(0);
    expect(await readFile(join(project, 'list.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it('can be looked at by several commands at once', async () => {
    const looks = await Promise.all([tribune('tasks'), tribune('rooms'), tribune('escalations')]);
    expect(looks.map(({ code, problems }) => ({ code, problems }))).toEqual(
      Array(3).fill({ code: 0, problems: '' }),
    );
  });

  it('is told as it happens, without control characters where there is no terminal', async () => {
    const { code, out } = await run('Add a line.');
    expect(code).toBe(0);
    expect(out).toMatch(
      /Task started: Add a line\.[^]*Owner works[^]*Reviewer says DONE[^]*Done, reviewed\.[^]*tribune apply task_/,
    );
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('reads its message from standard input', async () => {
    const words = [
      'run',
      '--dir',
      'shop',
      '--mode',
      'single',
      '--owner',
      'command:./owner.sh',
      '--json',
      '-',
    ];
    const { code, out } = await ended(launch(words), 'Add a line,\nplease.\n');
    expect(code).toBe(0);
    expect(taskDetailSchema.parse(JSON.parse(out))).toMatchObject({
      request: 'Add a line,\nplease.',
      task: { ending: 'unreviewed' },
    });
  });

  it('that is stuck says how to answer, and goes on with the answer', async () => {
    await agent('owner', 'echo "BLOCKED: which line?"');
    const stuck = await run('--mode', 'single', 'Add a line.');
    expect(stuck.code).toBe(3);
    const command = /tribune answer (esc_\w+) send_back "…"/.exec(stuck.out);
    expect(command).not.toBeNull();
    expect((await tribune('escalations')).out).toContain(command?.[0]);

    await agent('owner', 'echo two >> list.txt; echo DONE');
    const answered = await tribune('answer', (command?.[1] ?? '').slice(-6), 'send-back', 'Line two.');
    expect(answered.code, answered.problems).toBe(0);
    expect(answered.out).toContain('Done, unreviewed.');
  });

  it('takes up what is said meanwhile, and says so', async () => {
    await agent('owner', 'echo "BLOCKED: which line?"');
    expect((await run('--mode', 'single', 'Add a line.')).out).not.toContain('Taken up');
    await agent('owner', 'echo DONE');
    const joined = await run('Line two.');
    expect(joined.code, joined.problems).toBe(0);
    expect(joined.out).toMatch(/^Taken up by the open task: Add a line\.$/m);
  });

  it('that a person stops is stopped', async () => {
    await agent('owner', 'echo "BLOCKED: which line?"');
    const stuck = await run('--mode', 'single', '--json', 'Add a line.');
    const { task } = taskDetailSchema.parse(JSON.parse(stuck.out));
    expect((await tribune('stop', task.id)).code).toBe(0);
    expect((await tribune('tasks', '--open', '--json')).out).toBe('[]\n');
    const { code, out } = await tribune('stop', 'NOSUCHTASK', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ error: { tag: 'not_found' } });
  });

  it('is brought to its end by the host of another command, which has ended its own before', async () => {
    await mkdir(join(home, 'letters'));
    // The first ends only when the second has begun, and the second only when the first has said that it waits.
    const untilThere = (name: string): string => `until test -e "${join(home, name)}"; do sleep 0.05; done`;
    await agent('first', `${untilThere('begun')}; echo DONE`);
    await agent('second', `touch "${join(home, 'begun')}"; ${untilThere('waits')}; echo DONE`);
    const single = (directory: string, name: string): ChildProcess =>
      launch(['run', '--dir', directory, '--mode', 'single', '--owner', `command:./${name}.sh`, 'Go.']);
    const first = single('shop', 'first');
    const firstEnd = ended(first);
    const waits = printed(first, /Another command uses this host/);
    await printed(first, /Owner works/);
    const secondEnd = ended(single('letters', 'second'));
    await waits;
    await writeFile(join(home, 'waits'), '');
    expect(await secondEnd).toMatchObject({ code: 0, problems: '' });
    expect(await firstEnd).toMatchObject({ code: 0, problems: '' });
  });

  it('goes on with the next host after Ctrl-C', async () => {
    await agent('owner', 'touch "$OLDPWD/started"; sleep 60');
    const owner = `command:${join(home, 'owner.sh')}`;
    const child = launch(['run', '--dir', 'shop', '--mode', 'single', '--owner', owner, 'Add a line.']);
    const end = ended(child);
    await printed(child, /Owner works/);
    child.kill('SIGINT');
    const interrupted = await end;
    expect(interrupted.code, interrupted.problems).toBe(130);
    expect(interrupted.out).toMatch(/goes on with the next host[^]*tribune stop task_/);
    const open = await tribune('tasks', '--open', '--json');
    expect(JSON.parse(open.out)).toHaveLength(1);
  });
});

describe('a running host', () => {
  it('does the work of every command, and ends in good order', async () => {
    const host = launch(['start']);
    const hostEnd = ended(host);
    await printed(host, /listens at .*host\.sock/);
    const follower = launch(['events', '--follow', '--json']);
    const followed = ended(follower);
    const events = printed(follower, /"type":"task\.completed"/);

    expect((await tribune('start')).code).toBe(5);
    expect((await tribune('doctor')).out).toContain('Running on');
    const set = await tribune(
      ...['rooms', 'set', 'shop', '--dir', 'shop', '--owner', 'command:./owner.sh'],
      ...['--reviewer', 'command:./reviewer.sh', '--criterion', 'It has two lines.'],
    );
    expect(set.code, set.problems).toBe(0);
    expect((await tribune('send', 'shop', 'Add a line.')).out).toContain('Done, reviewed.');
    for (const line of (await events).trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('seq');

    host.kill('SIGINT');
    expect(await hostEnd).toMatchObject({ code: 0 });
    expect(existsSync(join(home, 'data', 'host.sock'))).toBe(false);
    expect(await followed).toMatchObject({ code: 5 });
  });
});
