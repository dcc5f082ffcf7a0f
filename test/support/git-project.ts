import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** A person's work directory, as a test looks at it. */
export class GitProject {
  public readonly directory: string;

  public constructor(directory: string = join(temporaryFolder('project'), 'shop')) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true });
  }

  /** A repository with these files committed. */
  public static withFiles(files: Readonly<Record<string, string>>, directory?: string): GitProject {
    const project = new GitProject(directory);
    project.git('init', '--quiet', '--initial-branch=main');
    project.write(files);
    project.commit();
    return project;
  }

  public commit(): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'Begin');
  }

  public git(...args: readonly string[]): string {
    const person = ['-c', 'user.name=Person', '-c', 'user.email=person@example.invalid'];
    return execFileSync('git', [...person, ...args], {
      cwd: this.directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  public write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = this.path(name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }

  public text(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  public has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /** What `git status` has to say; empty where the person's checkout is as it was committed. */
  public get status(): string {
    return this.git('status', '--porcelain');
  }

  public path(name: string): string {
    return join(this.directory, name);
  }
}
