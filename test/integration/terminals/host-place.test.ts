import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { fileOf, place, places, runners, shell, start, theRunner } from './host-place-support.ts';

const BYTES = 20 * 1024 * 1024;

describe('a program in a place on the host', () => {
  it('is heard byte for byte', async () => {
    const copy = join(temporaryFolder('copy'), 'bytes');
    const hash = createHash('sha256');
    let bytes = 0;
    const run = await shell(await place(), `head -c ${BYTES} /dev/urandom | tee "${copy}"`, {
      onOutput: (chunk) => {
        hash.update(chunk);
        bytes += chunk.length;
      },
    });
    expect(await run.ended).toEqual({ exitCode: 0, by: 'itself', problem: null });
    expect(bytes).toBe(BYTES);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(readFileSync(copy)).digest('hex'));
  });

  it('is spoken to while it runs, in whatever letters, until its input ends', async () => {
    const run = await start(await place(), 'cat', []);
    const inLatin1 = (text: string): string => Buffer.from(text).toString('latin1');
    run.running.write('one ä €\n');
    await run.printed(inLatin1('€\n'));
    run.running.write('two 🦉\n');
    await run.printed(inLatin1('🦉\n'));
    run.running.endInput();
    expect(await run.ended).toMatchObject({ exitCode: 0, by: 'itself' });
    expect(run.output).toBe(inLatin1('one ä €\ntwo 🦉\n'));
  });

  it('may leave its input unread', async () => {
    const run = await shell(await place(), 'exec 0<&-; echo closed; read line < /dev/null; exit 0');
    await run.printed('closed');
    run.running.write('x'.repeat(1_000_000));
    expect(await run.ended).toMatchObject({ exitCode: 0 });
    run.running.write('too late');
    run.running.stop();
  });

  it('tells its exit code, and keeps its two outputs apart', async () => {
    const run = await shell(await place(), 'echo out; echo problem >&2; exit 7');
    expect(await run.ended).toEqual({ exitCode: 7, by: 'itself', problem: null });
    expect(run).toMatchObject({ output: 'out\n', problems: 'problem\n' });
    const killed = await shell(await place(), 'kill -9 $$');
    expect(await killed.ended).toEqual({ exitCode: null, by: 'itself', problem: null });
  });

  it('has no terminal itself', async () => {
    const run = await shell(await place(), 'test -t 0 || test -t 1 || (: > /dev/tty) 2> /dev/null; echo $?');
    await run.ended;
    expect(run.output).not.toBe('0\n');
  });

  it('is watched through what the host puts on its terminal, to the last word and in order', async () => {
    const lines = Array.from({ length: 500 }, (_, number) => `line ${number} – ✓\n`);
    const run = await shell(await place(), 'echo begun; read go; echo ended');
    for (const line of lines) run.running.show(line);
    await run.printed('begun');
    run.running.write('go\n');
    await run.printed('ended');
    run.running.show('the last word');
    await run.ended;
    expect(run.screen.replaceAll('\r\n', '\n')).toBe(`${lines.join('')}the last word`);
  });

  it('gets the person’s environment without what is ours, and what the launch adds', async () => {
    const at = await place({
      environment: {
        HOME: '/home/of the person',
        ANTHROPIC_API_KEY: 'canary-1',
        TRIBUNE_HOME: 'canary-2',
        GITHUB_TOKEN: 'canary-3',
      },
      path: () => Promise.resolve(`/found/by/the/shell:${process.env['PATH'] ?? ''}`),
    });
    const run = await shell(at, 'env; read line', { environment: { ANTHROPIC_AUTH_TOKEN: 'turn-token' } });
    await run.printed('turn-token');
    const runner = theRunner();
    const shown = fileOf(runner, 'environ') + fileOf(runner, 'cmdline');
    run.running.endInput();
    await run.ended;
    expect(run.output).toContain('HOME=/home/of the person\n');
    expect(run.output).toContain('PATH=/found/by/the/shell:');
    expect(run.output).not.toContain('canary');
    expect(shown).toContain('turn-runner.js');
    expect(shown).not.toMatch(/canary|turn-token|HOME=/);
  });

  it('that is missing, may not run, or has no directory is named', async () => {
    const at = await place();
    const none = { environment: {}, onOutput() {}, onProblem() {}, onScreen() {} };
    const { signal } = new AbortController();
    expect(await at.cli.start({ ...none, program: 'no-such-program', args: [] }, signal)).toMatchObject({
      failure: { tag: 'program_missing', message: 'The program "no-such-program" was not found.' },
    });
    expect(await at.cli.start({ ...none, program: '/etc/passwd', args: [] }, signal)).toMatchObject({
      failure: { tag: 'start_failed' },
    });
    const nowhere = await places().open('/no/such/place');
    if (!nowhere.ok) throw new Error(nowhere.failure.message);
    expect(await nowhere.value.cli.start({ ...none, program: 'cat', args: [] }, signal)).toMatchObject({
      failure: { tag: 'start_failed', message: expect.stringContaining('/no/such/place') as string },
    });
    await nowhere.value.close();
    expect(runners()).toEqual([]);
  });

  it('whose runner cannot start says what it said', async () => {
    const folder = temporaryFolder('runner');
    const broken = join(folder, 'broken.sh');
    writeFileSync(broken, '#!/bin/sh\necho "no memory left"; exit 3\n');
    chmodSync(broken, 0o755);
    const at = await place({ runner: () => ({ program: broken, args: [] }) });
    const launch = {
      program: 'cat',
      args: [],
      environment: {},
      onOutput() {},
      onProblem() {},
      onScreen() {},
    };
    expect(await at.cli.start(launch, new AbortController().signal)).toMatchObject({
      failure: { tag: 'start_failed', message: expect.stringContaining('no memory left') as string },
    });
  });
});

describe('what is laid down', () => {
  it('only this user can read, and it is gone with the place', async () => {
    const opened = await places().open(temporaryFolder('place'));
    if (!opened.ok) throw new Error(opened.failure.message);
    const { cli } = opened.value;
    const laid = await cli.layDown('mcp.json', '{"token":"1"}');
    if (!laid.ok) throw new Error(laid.failure.message);
    expect(statSync(laid.value).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(laid.value)).mode & 0o777).toBe(0o700);
    expect(await cli.layDown('mcp.json', 'again')).toEqual(laid);
    expect(readFileSync(laid.value, 'utf8')).toBe('again');
    await opened.value.close();
    expect(existsSync(dirname(laid.value))).toBe(false);
  });
});
