import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCommandEngine } from '../../../src/main/engines/command/command-engine.ts';
import type { TurnRequest } from '../../../src/main/ports/engine.ts';
import { createTerminals } from '../../../src/main/terminals/terminals.ts';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { MemoryDesk } from '../../support/memory-desk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { failed, NONCE, ownerPlace, snapshotPlace, yielded } from './support.ts';

const HOUR_MS = 60 * 60_000;

async function turn(
  script: string,
  over: Partial<TurnRequest> = {},
  options: { clock?: ManualClock; signal?: AbortSignal; desk?: MemoryDesk } = {},
) {
  const place = await ownerPlace();
  const terminals = createTerminals({ clock: options.clock ?? systemClock, graceMs: 300 });
  const desk = options.desk ?? new MemoryDesk();
  const request: TurnRequest = {
    turnId: 'turn_1',
    role: 'owner',
    purpose: 'work',
    settings: { engine: 'command', model: null, maxTokens: null, command: ['/bin/sh', '-c', script] },
    nonce: NONCE,
    system: 'You are the owner.',
    prompt: 'Do the work.',
    freshPrompt: 'Do the work.',
    account: null,
    cli: null,
    session: 'ses_1',
    permissions: 'everything',
    resumed: false,
    place,
    ...over,
  };
  const engine = createCommandEngine({ path: process.env['PATH'] ?? '', terminals });
  const result = await engine.run(request, desk, options.signal ?? new AbortController().signal);
  return { result, desk, directory: place.directory };
}

const asReviewer = async (directory: string): Promise<Partial<TurnRequest>> => ({
  role: 'reviewer',
  purpose: 'review',
  place: await snapshotPlace(directory),
});

describe('a turn through a program', () => {
  it('is asked on standard input and answers in text', async () => {
    const { result, desk } = await turn('echo DONE; echo; cat');
    const { text, reading } = yielded(result);
    expect(reading).toEqual({ kind: 'verdict', verdict: 'DONE', via: 'text' });
    expect(text).toContain('You are the owner.\n\nDo the work.');
    expect(text).toContain(NONCE);
    expect([...new Set(desk.events.map(({ type }) => type))]).toEqual([
      'tool_started',
      'terminal_output',
      'tool_ended',
      'text',
    ]);
  });

  it('may answer with one JSON object', async () => {
    const verdict = { verdict: 'BLOCKED', nonce: NONCE, text: 'The disk is full.' };
    const { result } = await turn(`printf '%s' '${JSON.stringify(verdict)}'`);
    expect(yielded(result)).toMatchObject({
      text: 'The disk is full.',
      reading: { kind: 'verdict', verdict: 'BLOCKED', via: 'tool' },
    });
  });

  it('carries a review in JSON', async () => {
    const finding = { severity: 'blocking', criterion: 'C1', text: 'It fails.' };
    const verdict = {
      verdict: 'DONE_WITH_CONCERNS',
      nonce: NONCE,
      findings: [finding],
      judgements: [{ id: 'C1', judgement: 'unmet' }],
    };
    const { result } = await turn(
      `printf '%s' '${JSON.stringify(verdict)}'`,
      await asReviewer(temporaryFolder('work')),
    );
    expect(yielded(result).report).toMatchObject({
      findings: [finding],
      judgements: [{ id: 'C1', judgement: 'unmet' }],
    });
  });

  it('works in the work directory where it owns it', async () => {
    const { result, directory } = await turn('pwd; touch made');
    expect(yielded(result).text.trim()).toBe(directory);
    expect(await readdir(directory)).toEqual(['made']);
  });

  it('is in an empty directory of its own where it does not, which is gone afterwards', async () => {
    const work = temporaryFolder('work');
    await writeFile(join(work, 'code.ts'), 'precious');
    const { result } = await turn('pwd; ls -A; touch made', await asReviewer(work));
    const [where, ...listed] = yielded(result).text.trim().split('\n');
    expect(listed).toEqual([]);
    expect(where).not.toBe(work);
    await expect(readdir(where ?? '')).rejects.toThrow('ENOENT');
  });

  it('is in an empty directory too where a role that is not the owner is given one', async () => {
    const { result, directory } = await turn('touch made', { role: 'arbiter', purpose: 'arbitrate' });
    expect(result.ok).toBe(true);
    expect(await readdir(directory)).toEqual([]);
  });

  it('holds no credentials of ours', async () => {
    process.env['ANTHROPIC_API_KEY'] = 'sk-secret';
    const { result } = await turn('echo "[$ANTHROPIC_API_KEY]"').finally(() => {
      delete process.env['ANTHROPIC_API_KEY'];
    });
    expect(yielded(result).text).toBe('[]\n');
  });

  it('is told to wrap up, and does not begin when the budget is gone', async () => {
    const desk = new MemoryDesk();
    desk.permits = [
      { kind: 'wrap_up', limit: 'minutes', callsLeft: 3 },
      { kind: 'refused', limit: 'minutes' },
    ];
    expect(yielded((await turn('cat', {}, { desk })).result).text).toContain('budget (minutes) is used up');
    expect(failed((await turn('touch made', {}, { desk })).result).tag).toBe('budget');
  });
});

describe('a program that fails', () => {
  it('is quoted with the end of its error output', async () => {
    const { result, desk } = await turn('echo DONE; echo "no disk" >&2; exit 3');
    const failure = failed(result);
    expect(failure).toMatchObject({ tag: 'program_failed', forGood: false });
    expect(failure.message).toMatch(/exit code 3:\nno disk$/);
    expect(desk.events.at(-1)).toMatchObject({ type: 'tool_ended', ok: false });
  });

  it('may have been ended by a signal', async () => {
    expect(failed((await turn('kill -9 $$')).result)).toMatchObject({ tag: 'program_failed' });
  });

  it('is missing for good', async () => {
    const settings = {
      engine: 'command',
      model: null,
      maxTokens: null,
      command: ['no-such-program'],
    } as const;
    const failure = failed((await turn('', { settings })).result);
    expect(failure).toMatchObject({ tag: 'program_missing', forGood: true });
    expect(failure.message).toContain('no-such-program');
  });

  it('is not named in the settings', async () => {
    const settings = { engine: 'command', model: null, maxTokens: null, command: null } as const;
    expect(failed((await turn('', { settings })).result)).toMatchObject({
      tag: 'misconfigured',
      forGood: true,
    });
  });

  it('takes too long', async () => {
    const clock = new ManualClock();
    const set = clock.timerSet(HOUR_MS);
    const running = turn('sleep 1000', {}, { clock });
    await set;
    clock.advance(HOUR_MS);
    expect(failed((await clock.until(running)).result)).toMatchObject({ tag: 'timed_out', forGood: false });
  });

  it('is stopped', async () => {
    const controller = new AbortController();
    const desk = new MemoryDesk();
    void desk.reported('terminal_output').then(() => {
      controller.abort();
    });
    const { result } = await turn('echo ready; sleep 1000', {}, { signal: controller.signal, desk });
    expect(failed(result)).toMatchObject({ tag: 'stopped' });
  });
});

describe('checking its settings', () => {
  const engine = createCommandEngine({
    terminals: createTerminals({ clock: systemClock }),
    path: '/bin:/usr/bin',
  });
  const check = (command: readonly string[] | null) =>
    engine.check({ engine: 'command', model: null, maxTokens: null, command });

  it('finds the program, or says what is missing', async () => {
    expect(await check(['sh', '-c', 'true'])).toEqual({ ok: true, value: '/bin/sh, which was not tried.' });
    expect(await check(['/bin/sh'])).toMatchObject({ ok: true });
    expect(await check(['./agent.sh'])).toMatchObject({ ok: true });
    expect(await check(['no-such-program'])).toMatchObject({
      failure: { tag: 'program_missing', forGood: true },
    });
    expect(await check(null)).toMatchObject({ failure: { tag: 'misconfigured', forGood: true } });
  });
});
