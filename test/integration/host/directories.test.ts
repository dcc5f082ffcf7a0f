import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { HostBench, questionOf, settingsFor } from '../../support/host-bench.ts';
import { after, speaks, submits, writes } from '../../support/scripted-roles.ts';
import type { RoleScripts } from '../../support/scripted-roles.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const finishes: RoleScripts = {
  owner: [writes('cart.txt', 'full\n'), submits('DONE'), speaks('')],
  reviewer: [submits('DONE')],
};

/** A merge that stopped at a conflict. */
function beginMerge(project: GitProject): void {
  project.git('switch', '--quiet', '--create', 'other');
  project.write({ 'cart.txt': 'theirs\n' });
  project.commit();
  project.git('switch', '--quiet', 'main');
  project.write({ 'cart.txt': 'ours\n' });
  project.commit();
  expect(() => project.git('merge', 'other')).toThrow();
}

interface Trouble {
  readonly what: string;
  readonly begin: (project: GitProject) => void;
  readonly end: (project: GitProject) => void;
  /** What the person is told: the thing, and the next step. */
  readonly says: RegExp;
}

const away = (project: GitProject): string => `${project.directory}-away`;

const troubles: readonly Trouble[] = [
  {
    what: 'is missing',
    begin: (project) => {
      renameSync(project.directory, away(project));
    },
    end: (project) => {
      renameSync(away(project), project.directory);
    },
    says: /shop is not there.*Make it again/s,
  },
  {
    what: 'is not a directory',
    begin: (project) => {
      renameSync(project.directory, away(project));
      writeFileSync(project.directory, 'a file');
    },
    end: (project) => {
      rmSync(project.directory);
      renameSync(away(project), project.directory);
    },
    says: /shop is not a directory.*Give the room the directory/s,
  },
  {
    what: 'is a bare repository',
    begin: (project) => {
      renameSync(project.directory, away(project));
      mkdirSync(project.directory);
      project.git('init', '--quiet', '--bare');
    },
    end: (project) => {
      rmSync(project.directory, { recursive: true });
      renameSync(away(project), project.directory);
    },
    says: /shop.*bare/s,
  },
  {
    what: 'is in the middle of a merge',
    begin: beginMerge,
    end: (project) => {
      project.git('merge', '--abort');
    },
    says: /A merge is unfinished in .*shop.*git merge --abort/s,
  },
];

describe('a work directory that', () => {
  test.each(troubles)('$what: no room is made for it', async ({ begin, says }) => {
    const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
    begin(project);
    const bench = await HostBench.open({ roles: {} });
    const { message, next } = await bench.refused('rooms.create', settingsFor(project));
    expect(`${message} ${next ?? ''}`).toMatch(says);
    expect(await bench.ask('rooms.list', {})).toEqual([]);
  });

  test.each(troubles)(
    '$what when a task starts: a person is asked, and with the cause gone it goes on',
    async ({ begin, end, says }) => {
      const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
      const bench = await HostBench.open({ roles: finishes });
      await bench.room(project);
      begin(project);
      const asked = await bench.work('shop', 'Fill the cart.');
      expect(questionOf(asked).text).toMatch(says);
      const still = await bench.answer(asked, 'try_again');
      expect(questionOf(still).text).toMatch(says);
      end(project);
      const { task, changes } = await bench.answer(still, 'try_again');
      expect(task.ending).toBe('reviewed');
      expect(changes).toMatchObject([{ path: 'cart.txt' }]);
      expect(bench.roles.callsOf('owner')[0]?.prompt).toContain('Fill the cart.');
    },
  );

  test('has no commit yet is worked on and applied all the same', async () => {
    const project = new GitProject();
    project.git('init', '--quiet');
    project.write({ 'list.txt': 'milk\n' });
    const bench = await HostBench.open({ roles: finishes });
    await bench.room(project);
    const { task, changes } = await bench.work('shop', 'Fill the cart.');
    expect(task.ending).toBe('reviewed');
    expect(changes).toMatchObject([{ path: 'cart.txt', change: 'added' }]);
    await bench.ask('tasks.apply', { task: task.id });
    expect(project.text('cart.txt')).toBe('full\n');
    expect(project.text('list.txt')).toBe('milk\n');
  });

  test('goes away while the owner works: a person is told, and the work is not lost', async () => {
    const project = GitProject.withFiles({ 'cart.txt': 'empty\n' });
    const bench = await HostBench.open({
      roles: {
        owner: [
          writes('cart.txt', 'full\n'),
          after(() => {
            renameSync(project.directory, away(project));
          }, submits('DONE')),
          submits('DONE'),
          speaks(''),
        ],
        reviewer: [submits('DONE')],
      },
    });
    await bench.room(project);
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toMatch(/repository .* is not where it was.*Put it back/s);
    renameSync(away(project), project.directory);
    const { task, changes } = await bench.answer(asked, 'try_again');
    expect(task.ending).toBe('reviewed');
    expect(changes).toMatchObject([{ path: 'cart.txt' }]);
  });
});

describe('a disk that is full', () => {
  interface Disk {
    readonly environment?: NodeJS.ProcessEnv;
    readonly fill: (bench: HostBench) => void;
    readonly free: (bench: HostBench) => void;
  }

  test.each(disks())('$what: a person is told, and with space again the task goes on', async ({ disk }) => {
    const project = GitProject.withFiles({
      'cart.txt': 'empty\n',
      'picture.bin': randomBytes(1_500_000).toString('base64'),
    });
    const { environment = {}, fill, free } = disk();
    const bench = await HostBench.open({ roles: finishes, environment });
    await bench.room(project);
    fill(bench);
    const asked = await bench.work('shop', 'Fill the cart.');
    expect(questionOf(asked).text).toMatch(/disk is full.*Free some space/s);
    free(bench);
    const { task, changes } = await bench.answer(asked, 'try_again');
    expect(task.ending).toBe('reviewed');
    expect(changes).toMatchObject([{ path: 'cart.txt' }]);
  });

  /** A git that finds no space, everywhere; and a real file system without any, where this user may mount one. */
  function disks(): readonly { readonly what: string; readonly disk: () => Disk }[] {
    const told = { what: 'as git says', disk: diskThatGitFindsFull };
    return mayMount() ? [told, { what: 'as a file system says', disk: smallFileSystem }] : [told];
  }

  function diskThatGitFindsFull(): Disk {
    const folder = temporaryFolder('git');
    const full = join(folder, 'full');
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const program = join(folder, 'git');
    writeFileSync(
      program,
      `#!/bin/sh
case " $* " in *" read-tree "*|*" add "*|*" write-tree "*|*" worktree "*)
  if [ -e '${full}' ]; then
    echo 'error: unable to write file: No space left on device' >&2
    exit 128
  fi;;
esac
exec '${git}' "$@"
`,
    );
    chmodSync(program, 0o755);
    return {
      environment: { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` },
      fill: () => {
        writeFileSync(full, '');
      },
      free: () => {
        rmSync(full);
      },
    };
  }

  function smallFileSystem(): Disk {
    const mount = (...args: readonly string[]): void => {
      execFileSync('mount', args, { stdio: 'pipe' });
    };
    return {
      fill: ({ home }) => {
        const place = join(home, 'rooms');
        rmSync(place, { recursive: true, force: true });
        mkdirSync(place);
        mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place);
        onTestFinished(() => {
          execFileSync('umount', ['--lazy', place]);
        });
      },
      free: ({ home }) => {
        mount('-o', 'remount,size=64m', join(home, 'rooms'));
      },
    };
  }

  function mayMount(): boolean {
    const place = join('/tmp', `tribune-may-mount-${process.pid}`);
    mkdirSync(place, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place], { stdio: 'pipe' });
      execFileSync('umount', [place], { stdio: 'pipe' });
      return true;
    } catch {
      return false;
    } finally {
      if (existsSync(place)) rmSync(place, { recursive: true });
    }
  }
});
