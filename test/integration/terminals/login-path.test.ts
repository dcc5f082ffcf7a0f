import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLoginPath, mergedPaths } from '../../../src/main/terminals/login-path.ts';
import type { LoginPathOptions } from '../../../src/main/terminals/login-path.ts';
import { readProcessTable } from '../../../src/main/terminals/process-table.ts';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const bash = '/bin/bash';
const own = '/usr/bin:/only/the/host';

/** A person whose shell starts with these lines. */
function person(
  profile: string,
  over: Partial<LoginPathOptions> = {},
): { readonly home: string; readonly login: ReturnType<typeof createLoginPath> } {
  const home = temporaryFolder('person');
  writeFileSync(join(home, '.bash_profile'), profile);
  const environment = { HOME: home, PATH: own, SHELL: bash, ANTHROPIC_API_KEY: 'canary', EDITOR: 'canary' };
  return { home, login: createLoginPath({ clock: systemClock, environment, ...over }) };
}

describe.skipIf(process.platform === 'win32')('the PATH of a login shell', () => {
  it('comes before the host’s own, each folder once, without relative ones', async () => {
    const { login } = person('PATH=/opt/tools:relative:.:/usr/bin::/opt/tools; export PATH');
    expect(await login.path()).toBe('/opt/tools:/usr/bin:/only/the/host');
    expect(await login.report()).toEqual({ found: true, says: `/opt/tools:/usr/bin (from ${bash})` });
  });

  it('is asked for when it is first wanted, and once', async () => {
    const { home, login } = person('echo asked >> "$HOME/asked"; PATH=/opt/tools');
    const asked = join(home, 'asked');
    expect(existsSync(asked)).toBe(false);
    await Promise.all([login.path(), login.path(), login.report()]);
    await login.path();
    expect(readFileSync(asked, 'utf8')).toBe('asked\n');
  });

  it('is read in the noise of start-up files, from an interactive shell with a clean environment', async () => {
    const { home, login } = person(
      [
        'echo "Welcome! PATH=/wrong"; printf "no line end"; echo problem >&2; set -x -v',
        'case $- in *i*) PATH=/interactive:$PATH;; esac',
        'env > "$HOME/environment"',
        'trap \'echo "Goodbye. PATH=/wrong"\' EXIT',
      ].join('\n'),
    );
    expect(await login.path()).toMatch(/^\/interactive:.*:\/only\/the\/host$/);
    expect(readFileSync(join(home, 'environment'), 'utf8')).not.toContain('canary');
  });

  it('is done without where the shell hangs, and nothing of it runs on', async () => {
    const { home, login } = person('setsid sleep 1000 & echo $! > "$HOME/pid"; sleep 1000', {
      timeoutMs: 1_000,
    });
    expect(await login.path()).toBe(own);
    expect(await login.report()).toEqual({
      found: false,
      says: expect.stringContaining('bash did not say its PATH within 1 s') as string,
    });
    const pid = Number(readFileSync(join(home, 'pid'), 'utf8'));
    expect((await readProcessTable()).some((row) => row.pid === pid)).toBe(false);
  });

  it('is done without where the shell fails, says nothing, or is none', async () => {
    expect(await person('exit 3').login.report()).toMatchObject({
      found: false,
      says: expect.stringContaining('exit code 3') as string,
    });
    const cases: readonly (readonly [profile: string, shell: string])[] = [
      ['exec > /dev/null', bash],
      ['PATH=""', bash],
      [`PATH=$'/opt/a\\n/opt/b'`, bash],
      ['', '/bin/false'],
      ['', '/no/such/shell'],
    ];
    for (const [profile, shell] of cases) {
      const { login } = person(profile, { shell });
      expect(await login.path()).toBe(own);
      expect(await login.report()).toMatchObject({ found: false });
    }
  });
});

it('paths that are merged lose nothing but repetitions and relative folders', () => {
  const folder = fc.constantFrom('/a', '/b', '/c/d', 'e', '.', '');
  fc.assert(
    fc.property(fc.array(fc.array(folder)), (paths) => {
      const merged = mergedPaths(...paths.map((folders) => folders.join(':')));
      const all = paths.flat().filter((one) => one.startsWith('/'));
      expect(merged.split(':').filter((one) => one !== '')).toEqual([...new Set(all)]);
    }),
  );
});
