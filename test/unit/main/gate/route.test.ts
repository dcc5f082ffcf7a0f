import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { routeOf } from '../../../../src/main/gate/route.ts';

describe('where a request leads', () => {
  it.each([
    ['POST', '/anthropic/v1/messages?beta=true', 'anthropic', '/v1/messages?beta=true', true],
    ['POST', '/anthropic/v1/messages', 'anthropic', '/v1/messages', true],
    [
      'POST',
      '/anthropic/v1/messages/count_tokens?beta=true',
      'anthropic',
      '/v1/messages/count_tokens?beta=true',
      false,
    ],
    ['GET', '/anthropic/v1/models', 'anthropic', '/v1/models', false],
    ['GET', '/anthropic/v1/models/claude-opus-5-5', 'anthropic', '/v1/models/claude-opus-5-5', false],
    ['POST', '/openai/responses', 'openai', '/responses', true],
    ['POST', '/openai/v1/responses', 'openai', '/responses', true],
    ['POST', '/openai/responses/compact', 'openai', '/responses/compact', true],
    ['POST', '/openai/chat/completions', 'openai', '/chat/completions', true],
    ['GET', '/openai/models?client_version=0.171.0', 'openai', '/models?client_version=0.171.0', false],
    ['GET', '/openai/v1/models/gpt-5.5', 'openai', '/models/gpt-5.5', false],
  ])('opens %s %s', (method, target, api, path, generates) => {
    expect(routeOf(method, target)).toEqual({ kind: 'model_api', api, path, generates });
  });

  it('opens the tools to every method, which MCP tells apart', () => {
    expect(routeOf('POST', '/mcp')).toEqual({ kind: 'tools' });
    expect(routeOf('GET', '/mcp?x=1')).toEqual({ kind: 'tools' });
  });

  it.each([
    ['GET', '/anthropic/v1/messages'],
    ['DELETE', '/anthropic/v1/models/claude-opus-5-5'],
    ['POST', '/anthropic/messages'],
    ['POST', '/anthropic/v1/files'],
    ['GET', '/anthropic/v1/organizations/api_keys'],
    ['POST', '/anthropic/v1/messages/batches'],
    ['POST', '/anthropic/v1/messages/'],
    ['POST', '/anthropic//v1/messages'],
    ['POST', '/anthropic/v1/../v1/messages'],
    ['POST', '/anthropic/v1/%6dessages'],
    ['POST', '/anthropic/v1/messages%3f'],
    ['POST', '/anthropic/v1/messages#x'],
    ['POST', '/ANTHROPIC/v1/messages'],
    ['GET', '/anthropic/v1/models/..'],
    ['GET', '/anthropic/v1/models/a/b'],
    ['GET', '/anthropic/v1/models/a%2fb'],
    ['POST', '/openai/files'],
    ['POST', '/openai/v1/v1/responses'],
    ['GET', '/openai/responses/resp_1'],
    ['POST', '/openai'],
    ['POST', 'http://api.anthropic.com/anthropic/v1/messages'],
    ['POST', '//evil.example/anthropic/v1/messages'],
    ['GET', '/'],
    ['GET', ''],
    ['OPTIONS', '*'],
    ['POST', '/mcp/'],
  ])('keeps %s %s closed', (method, target) => {
    expect(routeOf(method, target).kind).toBe('closed');
  });

  it('never lets a path out of its API, whatever is asked', () => {
    const piece = fc.constantFrom(
      '/',
      '..',
      '.',
      'v1',
      'messages',
      'models',
      'responses',
      '%2e',
      '?',
      '\\',
      'a',
      '@',
      ':',
    );
    fc.assert(
      fc.property(
        fc.constantFrom('GET', 'POST', 'PUT'),
        fc.constantFrom('/anthropic/', '/openai/', ''),
        fc.array(piece, { maxLength: 8 }),
        (method, start, pieces) => {
          const route = routeOf(method, start + pieces.join(''));
          if (route.kind !== 'model_api') return;
          // Resolved as any server might, it is still the path that was matched.
          const resolved = new URL(`http://upstream${route.path}`);
          expect(resolved.host).toBe('upstream');
          expect(route.path.split('?')[0]).toBe(resolved.pathname);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
