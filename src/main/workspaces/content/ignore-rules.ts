import { readFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { ifThere } from '../../../shared/kernel/system-error.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import { bytePathsIn, locationOf } from '../git/byte-path.ts';
import type { BytePath } from '../git/byte-path.ts';
import type { Git } from '../git/git-process.ts';
import { factsOnDisk } from './facts-on-disk.ts';
import { listOtherFiles } from './listing.ts';
import { withoutLineEnd } from '../git/project-repository.ts';
import type { SnapshotStore, WorkTree } from '../git/snapshot-store.ts';

/**
 * Folders that the tools which make them mark as ignored with a .gitignore of their own inside. Made after the
 * rules were fixed, they would count as content; so they are in the rules from the start.
 */
const selfIgnoringFolders = ['.venv', '.pytest_cache', '.ruff_cache', '.mypy_cache', '.tox', '.nox'] as const;

/**
 * What a .gitignore says, as lines for one exclude file at the root: patterns of a folder hold below that folder
 * alone. The order of the lines is kept, since the last that matches wins.
 */
export function translateIgnoreFile(text: string, folder: string): string[] {
  const prefix = folder === '' ? '' : `${escapeGlob(folder)}/`;
  const lines: string[] = [];
  for (const raw of text.replace(/^\u00ef\u00bb\u00bf/, '').split('\n')) {
    const line = raw.replace(/\r$/, '');
    if (line === '' || line.startsWith('#')) continue;
    const sign = line.startsWith('!') ? '!' : '';
    const pattern = line.slice(sign.length);
    const anchored = pattern.replace(/\/ *$/, '').includes('/');
    if (prefix === '') lines.push(line);
    else if (anchored) lines.push(`${sign}/${prefix}${pattern.replace(/^\//, '')}`);
    else lines.push(`${sign}/${prefix}**/${pattern}`);
  }
  return lines;
}

/** An exclude line for exactly one folder. */
export function excludeFolder(folder: string): string {
  return `/${escapeGlob(folder)}/`;
}

function escapeGlob(name: string): string {
  return name.replace(/[\\*?[\]]/g, '\\$&');
}

/** The person's own rules, which are in no file of the content: their global exclude file, and the repository's info/exclude. */
export async function readPersonalRules(
  git: Git,
  directory: string,
  commonDirectory: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const globalFile =
    (await configuredExcludesFile(git, directory, environment)) ?? defaultExcludesFile(environment);
  const files = [
    ...(globalFile === null ? [] : [resolve(directory, globalFile)]),
    ...(commonDirectory === null ? [] : [join(commonDirectory, 'info', 'exclude')]),
  ];
  const lines: string[] = [];
  for (const file of files) {
    const text = await ifThere(readFile(file, 'latin1'));
    if (text !== null) lines.push(...translateIgnoreFile(text, ''));
  }
  return lines;
}

/** The one call that sees the person's configuration; reading a setting runs nothing. */
async function configuredExcludesFile(
  git: Git,
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const answer = await git({
    args: ['-c', 'safe.directory=*', 'config', '--type=path', '--get', 'core.excludesFile'],
    directory,
    environment: {
      GIT_CONFIG_NOSYSTEM: undefined,
      GIT_CONFIG_GLOBAL: environment['GIT_CONFIG_GLOBAL'],
      HOME: environment['HOME'],
      XDG_CONFIG_HOME: environment['XDG_CONFIG_HOME'],
    },
    exits: [0, 1, 128],
  });
  return answer.ok && answer.value.exit === 0 ? withoutLineEnd(answer.value.output) : null;
}

function defaultExcludesFile(environment: Readonly<Record<string, string | undefined>>): string | null {
  const home = environment['HOME'] ?? environment['USERPROFILE'];
  const configHome = environment['XDG_CONFIG_HOME'] ?? (home === undefined ? null : join(home, '.config'));
  return configHome === null ? null : join(configHome, 'git', 'ignore');
}

/** The rules of a directory's .gitignore files. */
export interface RulesInFiles {
  /** From files that are content themselves. */
  readonly ofContent: readonly string[];
  /** From files that ignore themselves too, as tools write them into their caches. */
  readonly ofCaches: readonly string[];
}

/** Collects the .gitignore files of a directory as they are now. `personalRulesFile` holds the rules in no file of it. */
export async function collectRules(
  store: SnapshotStore,
  workTree: WorkTree,
  personalRulesFile: string,
): Promise<Result<RulesInFiles, WorkspaceFailure>> {
  const rules = ['--exclude-per-directory=.gitignore', `--exclude-from=${personalRulesFile}`];
  const listCaches = (): ReturnType<SnapshotStore['run']> =>
    store.run(['ls-files', '-z', '--others', '--ignored', '--directory', ...rules], { workTree });
  const [indexed, others, early] = await Promise.all([
    listIndexedIgnoreFiles(store, workTree),
    listOtherFiles(store, workTree, rules),
    listCaches(),
  ]);
  if (!indexed.ok) return indexed;
  if (!others.ok) return others;
  // Git looks into nested repositories only now that they have placeholders; the next snapshot takes those out.
  const caches = others.value.placeholders.length === 0 ? early : await listCaches();
  if (!caches.ok) return caches;
  return ok({
    ofContent: await readIgnoreFiles(workTree.directory, [...indexed.value, ...others.value.paths]),
    ofCaches: await readIgnoreFiles(workTree.directory, bytePathsIn(caches.value.output)),
  });
}

/** The rules of the .gitignore files that are in an index, as the files are now. */
export async function collectRulesOfIndexed(
  store: SnapshotStore,
  workTree: WorkTree,
): Promise<Result<readonly string[], WorkspaceFailure>> {
  const indexed = await listIndexedIgnoreFiles(store, workTree);
  return indexed.ok ? ok(await readIgnoreFiles(workTree.directory, indexed.value)) : indexed;
}

async function listIndexedIgnoreFiles(
  store: SnapshotStore,
  workTree: WorkTree,
): Promise<Result<BytePath[], WorkspaceFailure>> {
  const listing = await store.run(['ls-files', '-z', '--cached', '--', ':(glob)**/.gitignore'], { workTree });
  return listing.ok ? ok(bytePathsIn(listing.value.output)) : listing;
}

async function readIgnoreFiles(root: string, paths: readonly BytePath[]): Promise<string[]> {
  const files = [...new Set(paths)].filter((one) => one === '.gitignore' || one.endsWith('/.gitignore'));
  // A folder's file comes before those of the folders in it, which win over it.
  files.sort((one, other) => one.split('/').length - other.split('/').length || (one < other ? -1 : 1));
  const lines: string[] = [];
  for (const file of files) {
    const folder = file.slice(0, -'.gitignore'.length).replace(/\/$/, '');
    if (folder.includes('\n')) continue;
    // A link is not followed, and a folder says nothing: so it is for git; see gitignore(5).
    if ((await factsOnDisk(root, file))?.isFile() !== true) continue;
    const text = await ifThere(readFile(locationOf(root, file), 'latin1'));
    if (text !== null) lines.push(...translateIgnoreFile(text, folder));
  }
  return lines;
}

/** Lines that come before all others, so that the project can overrule them. */
export const firstRules: readonly string[] = selfIgnoringFolders.map((name) => `${name}/`);

/** Writes an exclude file; lines hold bytes as characters, as paths do. */
export async function writeRules(file: string, lines: readonly string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${lines.join('\n')}\n`, 'latin1');
}
