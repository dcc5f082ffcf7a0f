import pico from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { CallOf } from '../../../../src/main/cli/call.ts';
import { answer } from '../../../../src/main/cli/commands/answer.ts';
import type { Context } from '../../../../src/main/cli/context.ts';
import { Screen } from '../../../../src/main/cli/screen.ts';
import { err } from '../../../../src/shared/kernel/result.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** The exit code and what is complained about; without a host, which nothing here gets as far as. */
async function answering(call: Partial<CallOf<'answer'>>): Promise<{ code: number; problems: string }> {
  let problems = '';
  const streams = {
    out: () => undefined,
    problems: (text: string) => (problems += text),
    columns: () => null,
  };
  const context: Context = {
    environment: {},
    directory: '/',
    dataDirectory: '/nowhere',
    clock: new ManualClock(),
    pause: () => Promise.resolve(),
    screen: new Screen(streams, pico.createColors(false), false),
    person: { atTerminal: false, read: () => Promise.resolve(''), ask: () => Promise.resolve(null) },
    interruption: new AbortController().signal,
    openHost: () => Promise.resolve(err({ tag: 'no_host', message: 'No host was opened.' })),
  };
  const whole: CallOf<'answer'> = {
    command: 'answer',
    json: false,
    wait: true,
    verbose: false,
    escalation: 'esc_1',
    answer: 'send_back',
    words: [],
    criteria: [],
    dropped: [],
    ...call,
  };
  return { code: await answer(whole, context), problems };
}

describe('tribune answer', () => {
  it.each(['accept', 'stop'] as const)('refuses words with %s, which nobody would read', async (given) => {
    const { code, problems } = await answering({ answer: given, words: ['but', 'faster'] });
    expect(code).toBe(2);
    expect(problems).toContain(`"${given}" ends the task`);
    expect(problems).toContain('send_back');
  });

  it('refuses words with allow, and takes them with refuse', async () => {
    const { code, problems } = await answering({ answer: 'allow', words: ['but', 'gently'] });
    expect(code).toBe(2);
    expect(problems).toContain('answer refuse with them');
    expect((await answering({ answer: 'refuse', words: ['Not', 'there.'] })).code).toBe(5);
  });

  it('refuses to send back without words', async () => {
    const { code, problems } = await answering({});
    expect(code).toBe(2);
    expect(problems).toContain('needs words');
  });

  it.each(['2', 'F1', 'C0'])('refuses to strike %s, which is no criterion', async (id) => {
    const { code, problems } = await answering({ answer: 'go_on', dropped: ['C1', id] });
    expect(code).toBe(2);
    expect(problems).toContain(id);
  });

  it('goes on to the host with what it takes', async () => {
    const { code, problems } = await answering({ answer: 'go_on', words: ['Gently.'], dropped: ['C12'] });
    expect(code).toBe(5);
    expect(problems).toContain('No host was opened.');
  });
});
