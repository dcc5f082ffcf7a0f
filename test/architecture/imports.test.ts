import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/**
 * What each part of the product may import, beside itself. Imports point inward; what talks to an outside thing
 * implements a port and never imports a sibling.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'shared/kernel': ['shared/vocabulary'],
  'shared/vocabulary': [],
  'shared/contract': ['shared/kernel', 'shared/vocabulary'],
  'main/domain': ['shared'],
  'main/ports': ['shared', 'main/domain'],
  'main/store': ['shared', 'main/domain', 'main/ports'],
  'main/engines': ['shared', 'main/domain', 'main/ports'],
  'main/terminals': ['shared', 'main/ports'],
  'main/workspaces': ['shared', 'main/ports'],
  'main/channels': ['shared', 'main/ports'],
  'main/containers': ['shared', 'main/ports'],
  'main/gate': ['shared', 'main/ports'],
  'main/rooms': ['shared', 'main/domain', 'main/ports', 'main/store'],
  'main/gateway': ['shared', 'main/domain', 'main/ports', 'main/store', 'main/rooms'],
  'main/app': [
    'shared',
    'main/ports',
    'main/store',
    'main/engines',
    'main/terminals',
    'main/workspaces',
    'main/channels',
    'main/containers',
    'main/gate',
    'main/rooms',
    'main/gateway',
  ],
  // The command line is a client: of the host's socket, of a host in its own process, and of the verdict grammar.
  'main/cli': ['shared', 'main/domain/verdict', 'main/app', 'main/gateway/socket/socket-path.ts'],
  'main/headless.ts': ['shared', 'main/app', 'main/cli'],
};

/** One library, one folder. Node's own modules and these are all that the product imports. */
const libraries: Readonly<Record<string, readonly string[]>> = {
  zod: ['shared', 'main'],
  'better-sqlite3': ['main/store'],
  'drizzle-orm': ['main/store'],
  ulid: ['main/store'],
  '@anthropic-ai/sdk': ['main/engines'],
  'node-pty': ['main/terminals'],
  dockerode: ['main/containers'],
  '@modelcontextprotocol/sdk': ['main/gate'],
  koffi: ['main/gateway/socket'],
  commander: ['main/cli'],
  picocolors: ['main/cli'],
};

interface Import {
  readonly file: string;
  readonly specifier: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

const imports: readonly Import[] = sourceFiles(join(root, 'src')).flatMap((path) => {
  const file = relative(join(root, 'src'), path);
  const { importedFiles } = ts.preProcessFile(readFileSync(path, 'utf8'));
  return importedFiles.map(({ fileName }) => ({ file, specifier: fileName }));
});

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`);
}

function partOf(file: string): string | undefined {
  return Object.keys(allowed).find((part) => isWithin(file, part));
}

describe('the architecture', () => {
  it('has a place for every source file', () => {
    const homeless = sourceFiles(join(root, 'src'))
      .map((path) => relative(join(root, 'src'), path))
      .filter((file) => partOf(file) === undefined);
    expect(homeless).toEqual([]);
  });

  it('finds imports at all', () => {
    expect(imports.length).toBeGreaterThan(100);
  });

  it('lets imports point inward only', () => {
    const wrong = imports
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ file, specifier }) => ({
        file,
        target: relative(join(root, 'src'), resolve(root, 'src', dirname(file), specifier)),
      }))
      .filter(({ file, target }) => {
        const part = partOf(file);
        const places = part === undefined ? [] : [part, ...(allowed[part] ?? [])];
        const isPackageFile = file === 'main/app/version.ts' && target === '../package.json';
        return !isPackageFile && !places.some((place) => isWithin(target, place));
      });
    expect(wrong).toEqual([]);
  });

  it('keeps each library in its folder', () => {
    const wrong = imports
      .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
      .filter(({ file, specifier }) => {
        const name = Object.keys(libraries).find((library) => isWithin(specifier, library));
        const places = name === undefined ? [] : (libraries[name] ?? []);
        return !places.some((place) => isWithin(file, place));
      });
    expect(wrong).toEqual([]);
  });

  it('keeps the pure parts pure: no Node modules, no clock, no randomness', () => {
    const impure = sourceFiles(join(root, 'src'))
      .map((path) => ({ file: relative(join(root, 'src'), path), text: readFileSync(path, 'utf8') }))
      .filter(({ file }) => isWithin(file, 'main/domain') || isWithin(file, 'shared'))
      .filter(({ file }) => file !== 'shared/kernel/clock.ts')
      .filter(({ text }) => /from 'node:|Date\.now|new Date\(\)|Math\.random|process\./.test(text))
      .map(({ file }) => file);
    expect(impure).toEqual([]);
  });

  it('keeps every file short enough to be read in one sitting', () => {
    const long = sourceFiles(join(root, 'src'))
      .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length }))
      .filter(({ path, lines }) => lines > 450 && !path.includes('/migrations/'))
      .map(({ path, lines }) => `${relative(root, path)}: ${lines} lines`);
    expect(long).toEqual([]);
  });
});
