import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HostBench } from '../../support/host-bench.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('doctor shows the PATH of the login shell, and where it has the coding agents', async () => {
  const home = temporaryFolder('person');
  const tools = join(home, 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'claude'), '#!/bin/sh\n');
  chmodSync(join(tools, 'claude'), 0o755);
  writeFileSync(join(home, '.bash_profile'), `PATH="${tools}"\n`);
  const bench = await HostBench.open({
    roles: {},
    environment: { HOME: home, SHELL: '/bin/bash', PATH: '/usr/bin:/bin' },
    config: { engines: { codex: { program: '/no/such/codex' } } },
  });
  const checks = await bench.ask('host.doctor', {});
  const named = (name: string): unknown => checks.find((check) => check.name === name);
  expect(named('login PATH')).toEqual({
    name: 'login PATH',
    ok: true,
    required: false,
    says: `${tools} (from /bin/bash)`,
  });
  expect(named('claude')).toMatchObject({ ok: true, says: join(tools, 'claude') });
  expect(named('codex')).toMatchObject({ ok: false, required: false, says: '/no/such/codex was not found' });
});

test('a shell that fails stops nothing, and doctor says so', async () => {
  const bench = await HostBench.open({ roles: {}, environment: { SHELL: '/bin/false' } });
  const checks = await bench.ask('host.doctor', {});
  expect(checks.find(({ name }) => name === 'login PATH')).toMatchObject({
    ok: false,
    required: false,
    says: expect.stringContaining('the PATH that Tribune was started with is used') as string,
  });
});
