import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Result } from '../../../src/shared/kernel/result.ts';
import type { TaskId } from '../../../src/shared/vocabulary/ids.ts';
import type { Workspace } from '../../../src/main/ports/workspace.ts';
import { createWorkspace } from '../../../src/main/workspaces/workspace.ts';
import type { WorkspaceOptions } from '../../../src/main/workspaces/workspace.ts';

export const taskA: TaskId = 'task_01J000000000000000000000AA';
export const taskB: TaskId = 'task_01J000000000000000000000BB';

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tribune-workspace-')));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A person's directory with what a test needs around it. */
export class Project {
  public readonly base: string;
  public readonly directory: string;
  public readonly data: string;
  public readonly home: string;

  public constructor(folder: string = temporaryFolder()) {
    this.base = folder;
    this.directory = join(folder, 'project');
    this.data = join(folder, 'data');
    this.home = join(folder, 'home');
    mkdirSync(this.directory);
    mkdirSync(this.home);
  }

  /** A repository with these files committed. */
  public static withFiles(files: Readonly<Record<string, string>>): Project {
    const project = new Project();
    project.git('init', '--quiet', '--initial-branch=main');
    project.write(files);
    project.commit();
    return project;
  }

  public commit(directory: string = this.directory): void {
    this.gitIn(directory, 'add', '-A');
    this.gitIn(directory, 'commit', '--quiet', '--allow-empty', '-m', 'work');
  }

  public git(...args: string[]): string {
    return this.gitIn(this.directory, ...args);
  }

  public gitIn(directory: string, ...args: string[]): string {
    return execFileSync(
      'git',
      ['-c', 'user.name=Person', '-c', 'user.email=person@example.invalid', ...args],
      {
        cwd: directory,
        env: { PATH: process.env['PATH'], HOME: this.home, GIT_CONFIG_NOSYSTEM: '1' },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
  }

  public write(files: Readonly<Record<string, string>>, directory: string = this.directory): void {
    for (const [name, text] of Object.entries(files)) {
      const file = join(directory, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  public text(name: string): string {
    return readFileSync(join(this.directory, name), 'utf8');
  }

  public workspace(more: Partial<WorkspaceOptions> = {}): Workspace {
    const workspace = createWorkspace({
      directory: this.directory,
      dataDirectory: this.data,
      environment: { PATH: process.env['PATH'], HOME: this.home, TMPDIR: this.base },
      ...more,
    });
    onTestFinished(() => workspace.close());
    return workspace;
  }
}

/** The value of a result that must be one. */
export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.tag}: ${result.failure.message}`);
  return result.value;
}

export function failureOf(result: Result<unknown>): {
  readonly tag: string;
  readonly message: string;
  readonly next?: string;
} {
  if (result.ok) throw new Error('This was to fail.');
  return result.failure;
}
