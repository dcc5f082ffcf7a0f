import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeCodeDialect } from '../../../src/main/engines/claude-code/dialect.ts';
import { limits } from '../../../src/main/engines/coding-cli/limits.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { cliBench, expectNotice, type CliBench } from './cli-support.ts';
import { failed, yielded } from './support.ts';

const program = join(import.meta.dirname, '../../fakes/claude-program.mjs');
chmodSync(program, 0o755);
const settings = { engine: 'claude-code', model: null, maxTokens: null, command: null } as const;

/** A program that behaves so, used by the person's own login. */
function behaving(
  behaviour: string,
  environment: Readonly<Record<string, string>> = {},
  clock?: ManualClock,
): Promise<CliBench> {
  return cliBench(claudeCodeDialect, {
    engineName: 'claude-code',
    baseUrl: null,
    program,
    environment: { FAKE_CLAUDE: behaviour, ...environment },
    ...(clock === undefined ? {} : { clock }),
  });
}

describe('a program of claude-code that misbehaves', () => {
  it('is heard where it behaves', async () => {
    const { own } = await behaving('good');
    expect(yielded(await own()).reading).toMatchObject({ verdict: 'DONE' });
  });

  it.each([
    ['prints something else', 'garbage', 'protocol', 'not its protocol: Welcome to something else!'],
    ['ends in the middle of a line', 'half_line', 'protocol', 'in the middle of a line'],
    ['prints 100 MB on one line', 'long_line', 'protocol', 'a line of more than 16 MB'],
    ['ends without a result', 'no_result', 'program_failed', 'ended without a result'],
    ['gives a result and fails', 'result_and_exit_1', 'program_failed', 'exit code 1: It broke at the end'],
    ['crashes', 'crash', 'program_failed', 'exit code 139): Segmentation fault'],
    ['is too old for an option', 'too_old', 'misconfigured', 'does not know --replay-user-messages'],
    ['shows the banner of a limit', 'limit_banner', 'exhausted', 'has used up what it may use'],
    ['tells of a limit by an event', 'limit_event', 'exhausted', 'has used up what it may use'],
  ])('%s', async (_, behaviour, tag, message) => {
    const { own } = await behaving(behaviour);
    const failure = failed(await own());
    expect(failure).toMatchObject({ tag });
    expect(failure.message).toContain(message);
    expect(failure.next).not.toBe('');
  });

  it('says when a limit ends', async () => {
    const { own } = await behaving('limit_event');
    expect(failed(await own()).resetsAt).toBe(4_102_444_800_000);
  });

  it('is not taken for used up where it only talks about limits', async () => {
    const { own } = await behaving('talks_of_limits');
    expect(yielded(await own()).text).toContain("You've hit your limit");
  });

  it('is heard past lines that are not its protocol, of which the first are shown', async () => {
    const { own, desk } = await behaving('garbage_between');
    expect(yielded(await own()).reading).toMatchObject({ verdict: 'DONE' });
    expectNotice(desk, 'could not be read: warning 2');
    expectNotice(desk, '2 more lines of Claude Code could not be read.');
  });

  it('is heard where its last line has no end, but is whole', async () => {
    const { own } = await behaving('whole_last_line');
    expect(yielded(await own()).reading).toMatchObject({ verdict: 'DONE' });
  });

  it('is ended after 30 minutes without a word', async () => {
    const clock = new ManualClock();
    const { own, desk } = await behaving('silent', {}, clock);
    const ending = own();
    await desk.reported('terminal_output', 1);
    expect(failed(await clock.until(ending, limits.silenceMs / 10))).toMatchObject({ tag: 'timed_out' });
  });

  it('is ended where it lingers after its answer, which stands', async () => {
    const clock = new ManualClock();
    const { own, desk } = await behaving('lingers', {}, clock);
    const farewell = clock.timerSet(limits.farewellMs);
    const ending = own();
    await farewell;
    expect(yielded(await clock.until(ending, limits.farewellMs / 10)).reading).toMatchObject({
      verdict: 'DONE',
    });
    expectNotice(desk, 'was done, but did not end');
  });

  it('is missing', async () => {
    const { engine, own } = await cliBench(claudeCodeDialect, {
      engineName: 'claude-code',
      baseUrl: null,
      program: '/nowhere/claude',
    });
    expect(await engine.check(settings)).toMatchObject({ ok: false, failure: { tag: 'program_missing' } });
    expect(failed(await own())).toMatchObject({ tag: 'program_missing', forGood: true });
  });

  it.each([
    ['is too old', { FAKE_VERSION: '1.0.98 (Claude Code)' }, 'misconfigured', 'which is too old'],
    ['says no version', { FAKE_VERSION: 'hello' }, 'misconfigured', 'does not say which version'],
  ])('%s, as its check says', async (_, environment, tag, message) => {
    const { engine } = await behaving('good', environment);
    const checked = await engine.check(settings);
    expect(checked).toMatchObject({ ok: false, failure: { tag } });
    expect(JSON.stringify(checked)).toContain(message);
  });

  it.each([
    ['somebody is', '{"loggedIn": true}', 'and you are logged in'],
    ['nobody is', '{"loggedIn": false}', 'you are not logged in'],
    ['it cannot be told', 'error: unknown command', 'cannot be told'],
  ])('says in its check whether %s logged in', async (_, login, message) => {
    const { engine } = await behaving('good', { FAKE_LOGIN: login });
    const checked = await engine.check(settings);
    expect(checked.ok && checked.value).toContain(message);
  });

  it.each([
    ['nobody is logged in', '{"loggedIn": false}', false],
    ['somebody is', '{"loggedIn": true}', true],
  ])('of which %s, where it needs a login', async (_, login, ok) => {
    const { engine } = await behaving('good', { FAKE_LOGIN: login });
    const checked = await engine.check(settings, true);
    expect(checked.ok).toBe(ok);
    if (!checked.ok)
      expect(checked.failure).toMatchObject({
        tag: 'login',
        next: expect.stringContaining('claude auth login') as string,
      });
  });

  it('never runs unsealed as a reviewer, nor sealed with the person’s own login', async () => {
    const { own, review } = await behaving('good');
    expect(failed(await own({ role: 'reviewer' }))).toMatchObject({ tag: 'unsealed', forGood: true });
    expect(failed(await review())).toMatchObject({ tag: 'login', forGood: true });
  });
});
