import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { createGit } from '../../../src/main/workspaces/git/git-process.ts';
import { failureOf, temporaryFolder } from './project.ts';

const git = createGit(process.env);

test('a git that does not end is ended and named', async () => {
  const input = new PassThrough();
  const args = ['-c', 'core.hooksPath=/dev/null', 'hash-object', '--stdin'];
  const failure = failureOf(await git({ args, directory: temporaryFolder(), input, timeoutMs: 50 }));
  expect(failure.message).toMatch(/^"git hash-object" in .* took more than 0\.05 seconds/);
});

test.each([
  ['ends early', undefined],
  ['can not be started', '/nowhere'],
])('what was to be read by a git that %s is read away, so that its writer ends', async (_, search) => {
  const input = new PassThrough();
  const writer = pipeline(
    Readable.from([Buffer.alloc(4 * 1024 * 1024), Buffer.alloc(4 * 1024 * 1024)]),
    input,
  );
  const environment = search === undefined ? {} : { PATH: search };
  failureOf(await git({ args: ['no-such-command'], directory: temporaryFolder(), environment, input }));
  await writer;
});

test('where no more files may be open, that is said', () => {
  const script = `
    import { openSync } from 'node:fs';
    import { createGit } from ${JSON.stringify(resolve('src/main/workspaces/git/git-process.ts'))};
    const git = createGit(process.env);
    // Until the system refuses one more.
    try { for (;;) openSync('/dev/null'); } catch (refusal) { if (refusal.code !== 'EMFILE') throw refusal; }
    const answer = await git({ args: ['version'], directory: '/' });
    process.stdout.write(JSON.stringify(answer));`;
  const printed = execFileSync(
    'sh',
    ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', script],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  expect(JSON.parse(printed)).toMatchObject({
    failure: { tag: 'git_failed', message: expect.stringContaining('EMFILE') as unknown },
  });
});
