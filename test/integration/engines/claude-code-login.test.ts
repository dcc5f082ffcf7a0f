import { expect, it, onTestFinished } from 'vitest';
import { claudeCodeDialect } from '../../../src/main/engines/claude-code/dialect.ts';
import { limits } from '../../../src/main/engines/coding-cli/limits.ts';
import type { TurnRequest } from '../../../src/main/ports/engine.ts';
import type { Clock } from '../../../src/shared/kernel/clock.ts';
import { calls, inTurn, says, type Script } from '../../fakes/messages-server/script.ts';
import { startMessagesServer } from '../../fakes/messages-server/server.ts';
import { describeWithCodingClis } from '../../support/coding-clis.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { submits } from './claude-code-support.ts';
import { cliBench, plant } from './cli-support.ts';
import { failed, yielded } from './support.ts';

describeWithCodingClis('the engine claude-code on the person’s own login', ({ claude }) => {
  /** The person's key is in their own settings, where we neither see nor send it. */
  async function bench(script: Script, clock?: Clock) {
    const server = await startMessagesServer(script, { apiKey: 'sk-own' });
    onTestFinished(() => server.close());
    const made = await cliBench(claudeCodeDialect, {
      engineName: 'claude-code',
      baseUrl: null,
      program: claude,
      ...(clock === undefined ? {} : { clock }),
    });
    plant(made.home, { '.claude/settings.json': JSON.stringify({ env: { ANTHROPIC_API_KEY: 'sk-own' } }) });
    const account: TurnRequest['account'] = { name: 'own', access: null, baseUrl: server.url };
    const own = (over: Partial<TurnRequest> = {}) => made.own({ account, ...over });
    return { ...made, own, server };
  }

  it('counts what the program says that it used', async () => {
    const usage = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 30 };
    const { own, desk, server } = await bench(inTurn({ ...submits, usage }, says('Done.', { usage })));
    expect(yielded(await own()).reading).toMatchObject({ verdict: 'DONE' });
    expect(server.requests).toHaveLength(2);
    const sum = (count: (call: (typeof desk.calls)[number]) => number): number =>
      desk.calls.reduce((total, call) => total + count(call), 0);
    expect(sum(({ inputTokens }) => inputTokens)).toBe(200);
    expect(sum(({ outputTokens }) => outputTokens)).toBe(40);
    expect(sum(({ cacheReadTokens }) => cacheReadTokens)).toBe(60);
    expect(desk.calls.every(({ durationMs }) => durationMs >= 0)).toBe(true);
  });

  it('is asked before it starts, and ended at a call beyond the budget', async () => {
    const { own, desk, server } = await bench(() => calls('Bash', { command: 'true' }));
    desk.permits = [{ kind: 'refused', limit: 'usd' }];
    expect(failed(await own())).toMatchObject({ tag: 'budget' });
    expect(server.requests).toHaveLength(0);

    desk.permits = [{ kind: 'go' }, { kind: 'refused', limit: 'usd' }];
    expect(failed(await own())).toMatchObject({ tag: 'budget' });
    expect(server.requests.length).toBeGreaterThan(0);
  });

  it('waits for a person as long as they take', async () => {
    const clock = new ManualClock();
    const { own, desk } = await bench(
      inTurn(calls('Bash', { command: 'touch made.txt', description: 'makes it' }), submits, says('Done.')),
      clock,
    );
    const asked = new Promise<void>((resolve) => {
      desk.answerTo = () => {
        resolve();
        return answered.promise;
      };
    });
    const answered = Promise.withResolvers<{ readonly allowed: true }>();
    const ending = own({ permissions: 'ask' });
    await asked;
    clock.advance(4 * limits.silenceMs);
    answered.resolve({ allowed: true });
    expect(yielded(await ending).reading).toMatchObject({ verdict: 'DONE' });
  });
});
