import { describe, expect, it } from 'vitest';
import { headersForClient, headersForUpstream } from '../../../../src/main/gate/broker/headers.ts';
import type { Upstream } from '../../../../src/main/ports/turn-gate.ts';
import { Secret } from '../../../../src/shared/kernel/secret.ts';

const anthropic: Upstream = {
  api: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  key: new Secret('sk-real'),
  sentAs: 'api_key',
};

describe('headers that go upstream', () => {
  it("have the key in place of the token, in the API's own header", () => {
    const sent = headersForUpstream({ 'x-api-key': 'token', authorization: 'Bearer token' }, anthropic);
    expect(sent).toEqual({ 'x-api-key': 'sk-real', 'accept-encoding': 'identity' });
    const bearer = { authorization: 'Bearer sk-real', 'accept-encoding': 'identity' };
    const asked = { authorization: 'Bearer token' };
    expect(headersForUpstream(asked, { ...anthropic, sentAs: 'bearer' })).toEqual(bearer);
    expect(headersForUpstream(asked, { ...anthropic, api: 'openai' })).toEqual(bearer);
  });

  it('say what the client is and wants, but not where it comes from', () => {
    const sent = headersForUpstream(
      {
        host: 'evil.example',
        cookie: 'session=1',
        connection: 'keep-alive, x-hop',
        'x-hop': '1',
        'transfer-encoding': 'chunked',
        'proxy-authorization': 'Basic x',
        'x-forwarded-for': '10.0.0.1',
        'accept-encoding': 'gzip, br',
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'one,two',
        'user-agent': 'claude-cli/2',
        'content-length': '17',
      },
      anthropic,
    );
    expect(sent).toEqual({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one,two',
      'user-agent': 'claude-cli/2',
      'content-length': '17',
      'accept-encoding': 'identity',
      'x-api-key': 'sk-real',
    });
  });

  it('say that a set-up token is one, once', () => {
    const upstream: Upstream = { ...anthropic, key: new Secret('sk-ant-oat01-real'), sentAs: 'bearer' };
    const betas = (asked?: string) =>
      headersForUpstream(asked === undefined ? {} : { 'anthropic-beta': asked }, upstream)['anthropic-beta'];
    expect(betas()).toBe('oauth-2025-04-20');
    expect(betas('one, two')).toBe('one,two,oauth-2025-04-20');
    expect(betas('oauth-2025-04-20,two')).toBe('oauth-2025-04-20,two');
  });
});

describe('headers that go back', () => {
  it('are those of upstream, without its cookies, its connection and the key', () => {
    const back = headersForClient(
      {
        'content-type': 'text/event-stream',
        'request-id': 'req_1',
        'set-cookie': ['a=1'],
        connection: 'close',
        'transfer-encoding': 'chunked',
        'x-echo': 'Bearer sk-real',
        'anthropic-ratelimit-unified-reset': '1767225600',
      },
      anthropic.key,
    );
    expect(back).toEqual({
      'content-type': 'text/event-stream',
      'request-id': 'req_1',
      'anthropic-ratelimit-unified-reset': '1767225600',
    });
  });
});
