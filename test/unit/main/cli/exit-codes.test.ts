import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { exitCodes } from '../../../../src/main/cli/exit-codes.ts';

it('says in docs/cli.md what every exit code means', async () => {
  const page = await readFile(join(resolve(import.meta.dirname, '../../../..'), 'docs', 'cli.md'), 'utf8');
  const [, section = ''] = page.split('## Exit codes');
  const codes = [...(section.split('## ')[0] ?? '').matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(exitCodes));
});
