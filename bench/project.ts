import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FILES_PER_FOLDER = 50;

/** A little shorter than the usual source file. */
const LINES_PER_FILE = 40;

/** The environment of every git that a measurement starts: no settings of whoever runs it have a say. */
const environment = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@example.invalid',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@example.invalid',
};

export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: directory, env: environment, encoding: 'utf8' });
}

/** How long git takes, in milliseconds, without holding this process up. */
export async function gitMs(directory: string, ...args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  await promisify(execFile)('git', args, { cwd: directory, env: environment });
  return performance.now() - startedAt;
}

/** Makes a repository with so many files, all committed and, as in a clone, in one pack. */
export function makeProject(directory: string, files: number): void {
  git(directory, 'init', '--quiet', '--initial-branch=main');
  execFileSync('git', ['fast-import', '--quiet', '--depth=0'], {
    cwd: directory,
    env: environment,
    input: importOf(files),
  });
  git(directory, 'reset', '--quiet', '--hard');
}

/** A commit in the form of git-fast-import(1). */
function importOf(files: number): string {
  const message = 'The project';
  const parts = [
    'commit refs/heads/main\n',
    'committer Bench <bench@example.invalid> 1700000000 +0000\n',
    `data ${message.length}\n${message}\n`,
  ];
  for (let file = 0; file < files; file += 1) {
    const text = textOf(file, 0);
    parts.push(`M 100644 inline ${fileName(file)}\ndata ${text.length}\n${text}\n`);
  }
  return parts.join('');
}

/** Gives so many files of the project new content, spread over it. */
export function changeFiles(directory: string, files: number, count: number, version: number): void {
  for (let nth = 0; nth < count; nth += 1) {
    const file = Math.floor((nth * files) / count);
    writeFileSync(join(directory, fileName(file)), textOf(file, version));
  }
}

function folderOf(file: number): string {
  const folder = Math.floor(file / FILES_PER_FOLDER);
  return `source/part-${folder % 20}/unit-${folder}`;
}

function fileName(file: number): string {
  return `${folderOf(file)}/file-${file}.ts`;
}

function textOf(file: number, version: number): string {
  return Array.from(
    { length: LINES_PER_FILE },
    (_, line) => `export const value${line} = ${file * LINES_PER_FILE + line + version};\n`,
  ).join('');
}
