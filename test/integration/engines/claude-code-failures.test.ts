import { expect, it } from 'vitest';
import { calls, fails, inTurn, says } from '../../fakes/messages-server/script.ts';
import { describeWithCodingClis } from '../../support/coding-clis.ts';
import { benchOf, submits } from './claude-code-support.ts';
import { expectNotice } from './cli-support.ts';
import { failed, yielded } from './support.ts';

describeWithCodingClis('what becomes of a turn of claude-code that goes wrong', ({ claude }) => {
  const bench = benchOf(claude);

  it.each([
    [
      'a used-up subscription',
      fails(429, 'rate_limit_error', 'This request would exceed your account’s rate limit.', {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': '4102444800',
      }),
      { tag: 'exhausted', forGood: false, resetsAt: 4_102_444_800_000 },
    ],
    [
      'a refused key',
      fails(401, 'authentication_error', 'invalid x-api-key'),
      { tag: 'exhausted', forGood: true },
    ],
    [
      'an unknown model',
      fails(404, 'not_found_error', 'model: claude-sonnet-5-5'),
      { tag: 'unknown_model', forGood: true },
    ],
    ['an overload', fails(529, 'overloaded_error', 'Overloaded'), { tag: 'overloaded', forGood: false }],
    [
      'a refused request',
      fails(400, 'invalid_request_error', 'prompt is too long'),
      { tag: 'refused', forGood: true },
    ],
  ])('tells %s', async (_, reply, expected) => {
    const { own, server } = await bench(() => reply);
    expect(failed(await own())).toMatchObject(expected);
    expect(server.refusals).toEqual([]);
  });

  it('begins afresh, once, where the session cannot be gone on in', async () => {
    const { own, desk, server } = await bench((request, number) =>
      number <= 2 || !JSON.stringify(request.messages).includes('Go on with the work.')
        ? ([submits, says('Done.')][(number - 1) % 2] ?? says('Done.'))
        : fails(
            400,
            'invalid_request_error',
            'messages.1: tool_use ids were found without tool_result blocks',
          ),
    );
    yielded(await own());
    expect(yielded(await own({ turnId: 'turn_2' })).reading).toMatchObject({ verdict: 'DONE' });
    expectNotice(desk, 'a fresh one is told everything');
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain('Do all of the work.');
  });

  it('lets a verdict stand, whatever becomes of the call after it', async () => {
    const { own, desk } = await bench(inTurn(submits, () => fails(529, 'overloaded_error', 'Overloaded')));
    desk.permits = [{ kind: 'go' }, { kind: 'refused', limit: 'usd' }];
    expect(yielded(await own()).reading).toMatchObject({ verdict: 'DONE', via: 'tool' });
    expectNotice(desk, 'The verdict was given before this happened');
  });

  it('ends when the budget does', async () => {
    const { own, desk, server } = await bench(inTurn(calls('Bash', { command: 'true' }), says('More.')));
    desk.permits = [{ kind: 'go' }, { kind: 'refused', limit: 'usd' }];
    expect(failed(await own())).toMatchObject({ tag: 'budget', forGood: true });
    expect(server.requests).toHaveLength(1);
  });

  it('tells the agent to wrap up', async () => {
    const { own, desk, server } = await bench((request) =>
      JSON.stringify(request.messages).includes('is used up')
        ? says('DONE\n\nWrapped up.')
        : calls('Bash', { command: 'true' }),
    );
    desk.permits = [{ kind: 'go' }, { kind: 'wrap_up', limit: 'tokens', callsLeft: 3 }];
    expect(yielded(await own()).reading).toMatchObject({ verdict: 'DONE' });
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  it('ends an agent that goes round in circles', async () => {
    const { own, server } = await bench(() => calls('Bash', { command: 'echo again' }));
    expect(failed(await own())).toMatchObject({ tag: 'looped' });
    // It may go on for the moment that it takes to end.
    expect(server.requests.length).toBeLessThan(10);
  });
});
