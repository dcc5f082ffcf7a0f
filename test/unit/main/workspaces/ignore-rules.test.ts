import { expect, test } from 'vitest';
import { excludeFolder, translateIgnoreFile } from '../../../../src/main/workspaces/content/ignore-rules.ts';

test.each([
  ['foo', '', ['foo']],
  ['foo', 'sub', ['/sub/**/foo']],
  ['foo/', 'sub', ['/sub/**/foo/']],
  ['/foo', 'sub', ['/sub/foo']],
  ['a/b', 'sub', ['/sub/a/b']],
  ['**/b', 'sub', ['/sub/**/b']],
  ['!keep', 'sub', ['!/sub/**/keep']],
  ['!/keep/', 'sub', ['!/sub/keep/']],
  ['\\!odd', 'sub', ['/sub/**/\\!odd']],
  ['# comment\n\nx\r\n', 'a/b', ['/a/b/**/x']],
  ['x', 'a*[b]?\\', ['/a\\*\\[b\\]\\?\\\\/**/x']],
  ['\u00ef\u00bb\u00bfx', '', ['x']],
])('%j in folder %j', (text, folder, lines) => {
  expect(translateIgnoreFile(text, folder)).toEqual(lines);
});

test('one folder is excluded by exactly its name', () => {
  expect(excludeFolder('a/node_modules*')).toBe('/a/node_modules\\*/');
});
