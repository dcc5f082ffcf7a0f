import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BytePath } from '../../../../src/main/workspaces/git/byte-path.ts';
import { linksLeadingOut } from '../../../../src/main/workspaces/laid-out/links-leading-out.ts';

function leadingOut(links: Readonly<Record<string, string>>): readonly string[] {
  return linksLeadingOut(new Map(Object.entries(links) as [BytePath, string][]));
}

describe('a link', () => {
  test.each([
    ['absolute', { a: '/proc/self/environ' }],
    ['to the root of the file system', { a: '/' }],
    ['beside the work', { a: '../other' }],
    ['above the work from a folder', { 'x/y/a': '../../../other' }],
    ['out and in again', { 'x/a': '../../shop/b' }],
    ['over a folder that is not there', { a: 'x/../../other' }],
  ])('that is %s leads out', (_, links: Readonly<Record<string, string>>) => {
    expect(leadingOut(links)).toEqual(Object.keys(links));
  });

  test.each([
    ['beside it', { a: 'b' }],
    ['up to the root of the work', { 'x/y/a': '../..' }],
    ['to nothing', { a: 'nowhere/at/all' }],
    ['to itself', { a: 'a' }],
    ['with needless steps', { 'x/a': './/../x/./b' }],
    ['whose name begins with dots', { a: '...', b: '..b' }],
  ])('%s stays', (_, links: Readonly<Record<string, string>>) => {
    expect(leadingOut(links)).toEqual([]);
  });

  test('leads where the links on its way lead', () => {
    const links = { 'd/e/up': '../..', 'd/through': 'e/up/../x', 'd/inside': 'e/up/d' };
    expect(leadingOut(links)).toEqual(['d/through']);
    expect(leadingOut({ a: 'b', b: '/etc', 'c/d': '../a/passwd' })).toEqual(['a', 'b', 'c/d']);
  });
});

test('where the system comes out of the work through a link, the link is one that leads out', () => {
  const names = ['a', 'b', 'c'] as const;
  const folders = ['', 'a/', 'b/', 'a/b/', 'c/a/'] as const;
  const path = fc
    .tuple(fc.constantFrom(...folders), fc.constantFrom(...names))
    .map(([folder, name]) => folder + name);
  const target = fc.array(fc.constantFrom('..', '..', '.', ...names), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.dictionary(path, target, { minKeys: 1, maxKeys: 6, noNullPrototype: true }), (drawn) => {
      const above = realpathSync(mkdtempSync(join(tmpdir(), 'tribune-links-')));
      try {
        const work = join(above, 'x/y/work');
        mkdirSync(work, { recursive: true });
        const links: Record<string, string> = {};
        for (const [link, names] of Object.entries(drawn)) {
          // As in git's trees, nothing is below a link.
          if (Object.keys(links).some((other) => isBelow(other, link) || isBelow(link, other))) continue;
          mkdirSync(join(work, dirname(link)), { recursive: true });
          symlinkSync(names.join('/'), join(work, link));
          links[link] = names.join('/');
        }
        const out = leadingOut(links);
        for (const link of Object.keys(links)) {
          const end = endOf(join(work, link));
          if (end !== null && end !== work && !end.startsWith(`${work}/`)) expect(out).toContain(link);
        }
      } finally {
        rmSync(above, { recursive: true, force: true });
      }
    }),
    { numRuns: 300 },
  );
});

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** Where the system comes to; null where that is nowhere. */
function endOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
