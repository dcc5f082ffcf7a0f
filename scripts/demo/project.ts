import { execFileSync } from 'node:child_process';
import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/** Makes the demo's project: a small git repository with one commit and one failing test. */
export function makeProject(template: string, directory: string): void {
  cpSync(template, directory, { recursive: true });
  // Under its own name it would hide files of this repository.
  renameSync(join(directory, 'gitignore'), join(directory, '.gitignore'));
  const git = (...args: string[]): void => {
    execFileSync('git', args, { cwd: directory, stdio: 'ignore' });
  };
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Till');
  git('config', 'user.email', 'till@example.invalid');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
}
