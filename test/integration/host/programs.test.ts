import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GitProject } from '../../support/git-project.ts';
import { HostBench } from '../../support/host-bench.ts';
import { describeWithReviewerImage } from '../../support/reviewer-image.ts';
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

describe('doctor looks at what a sealed role needs', () => {
  const reviewer = { engine: 'claude-code' };
  const noDocker = { DOCKER_HOST: 'unix:///nowhere/docker.sock', ANTHROPIC_API_KEY: undefined };

  test('a container engine', async () => {
    const bench = await HostBench.open({ roles: {}, environment: noDocker, config: { roles: { reviewer } } });
    const checks = await bench.ask('host.doctor', {});
    expect(checks.find(({ name }) => name === 'containers')).toMatchObject({ ok: false, required: true });
    expect(checks.find(({ name }) => name === 'reviewer')).toMatchObject({
      ok: false,
      required: true,
      says: 'claude-code: It works in a container only, and there is none to be had. See "containers" above.',
    });
  });

  test('which is not missed where no role is sealed', async () => {
    const bench = await HostBench.open({ roles: {}, environment: noDocker });
    const checks = await bench.ask('host.doctor', {});
    expect(checks.find(({ name }) => name === 'containers')).toMatchObject({ ok: false, required: false });
  });
});

describeWithReviewerImage('doctor, where roles can be sealed', () => {
  test('asks for a key for each of them, in fallbacks and sealed owners too', async () => {
    const engine = { engine: 'claude-code' };
    const bench = await HostBench.open({
      roles: {},
      environment: { DOCKER_HOST: process.env['DOCKER_HOST'], ANTHROPIC_API_KEY: undefined },
      config: {
        roles: { owner: engine },
        fallbacks: { reviewer: { engine: 'codex' } },
        engines: { codex: { accounts: [{ name: 'team', key: { environment: 'HOME' } }] } },
      },
    });
    await bench.room(GitProject.withFiles({ 'a.txt': 'a' }), { sealedOwner: true });
    const checks = await bench.ask('host.doctor', {});
    const named = (wanted: string): unknown => checks.find(({ name }) => name === wanted);
    expect(named('containers')).toMatchObject({ ok: true });
    expect(named('room shop, owner')).toMatchObject({
      ok: false,
      says: expect.stringMatching(/own login never goes, and has no account with a key/) as string,
    });
    expect(named('fallback reviewer')).toMatchObject({
      ok: true,
      says: 'codex: It works in a container. Accounts, in this order: team.',
    });
  });
});
