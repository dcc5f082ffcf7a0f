import { open, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ifThere, systemErrorCode } from '../../../../src/shared/kernel/system-error.ts';

const here = fileURLToPath(import.meta.url);

test('the code of what the system refused, and of nothing else', async () => {
  const codeOf = (work: Promise<unknown>): Promise<string | null> =>
    work.then(() => 'nothing was refused', systemErrorCode);
  expect(await codeOf(readFile(`${here}.not`))).toBe('ENOENT');
  expect(await codeOf(open(here, 'wx'))).toBe('EEXIST');
  expect(await codeOf(readFile(here, { flag: 'no such flag' }))).toBe(null);
  expect(systemErrorCode(new Error('ENOENT'))).toBe(null);
  expect(systemErrorCode({ code: 'ENOENT' })).toBe(null);
  expect(systemErrorCode(Object.assign(new Error('a number'), { code: 2 }))).toBe(null);
});

test('only what is not there is null', async () => {
  expect(await ifThere(readFile(here, 'utf8'))).toContain('only what is not there');
  expect(await ifThere(readFile(`${here}.not`))).toBe(null);
  expect(await ifThere(readFile(`${here}/below`))).toBe(null);
  await expect(ifThere(readFile('.'))).rejects.toThrow('EISDIR');
  await expect(ifThere(Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
});
