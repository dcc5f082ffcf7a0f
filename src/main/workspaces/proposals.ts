import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../shared/kernel/system-error.ts';
import type { ProjectRepository } from './git/project-repository.ts';

interface Setup {
  readonly file: string;
  readonly command: string;
  /** The folder it installs into, if that is in the project. */
  readonly folder: string | null;
}

/** The first of a folder whose lock file is there is meant. What has its dependencies outside the project (Go, Cargo) needs none. */
const setups: readonly Setup[] = [
  { file: 'pnpm-lock.yaml', command: 'pnpm install --frozen-lockfile', folder: 'node_modules' },
  { file: 'yarn.lock', command: 'yarn install --frozen-lockfile', folder: 'node_modules' },
  { file: 'bun.lock', command: 'bun install --frozen-lockfile', folder: 'node_modules' },
  { file: 'bun.lockb', command: 'bun install --frozen-lockfile', folder: 'node_modules' },
  { file: 'package-lock.json', command: 'npm ci', folder: 'node_modules' },
  { file: 'npm-shrinkwrap.json', command: 'npm ci', folder: 'node_modules' },
  { file: 'uv.lock', command: 'uv sync --frozen', folder: '.venv' },
  { file: 'poetry.lock', command: 'POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install', folder: '.venv' },
  {
    file: 'requirements.txt',
    command: 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt',
    folder: '.venv',
  },
  { file: 'Gemfile.lock', command: 'BUNDLE_PATH=vendor/bundle bundle install', folder: 'vendor/bundle' },
  { file: 'composer.lock', command: 'composer install', folder: 'vendor' },
];

async function present(root: string): Promise<readonly Setup[]> {
  const found = await Promise.all(setups.map((setup) => isThere(join(root, setup.file))));
  // One package manager per folder: the first wins.
  const meant = new Map<string | null, Setup>();
  for (const setup of setups.filter((_, at) => found[at]))
    if (!meant.has(setup.folder)) meant.set(setup.folder, setup);
  return [...meant.values()];
}

/** A command line that installs what the project's lock files name; null where there are none. */
export async function proposeSetup(root: string): Promise<string | null> {
  const meant = await present(root);
  return meant.length === 0 ? null : meant.map((setup) => setup.command).join(' && ');
}

/** The folders that the setup fills, where the repository does not track files in them. */
export async function proposeDependencies(
  root: string,
  project: ProjectRepository | null,
): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const { folder } of await present(root)) {
    if (folder === null) continue;
    const tracked = await project?.tracksBelow(join(root, folder));
    if (tracked?.ok === true && tracked.value) continue;
    folders.push(folder);
  }
  return folders;
}

async function isThere(file: string): Promise<boolean> {
  return (await ifThere(lstat(file))) !== null;
}
