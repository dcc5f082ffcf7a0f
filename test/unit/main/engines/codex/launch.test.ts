import { expect, it } from 'vitest';
import type { CliStart } from '../../../../../src/main/engines/coding-cli/dialect.ts';
import { codexCommand } from '../../../../../src/main/engines/codex/launch.ts';

const TOKEN = 'token-of-the-turn';

const start: CliStart = {
  role: 'reviewer',
  sealed: true,
  directory: '/snapshots/one',
  home: '/home/agent/session',
  model: null,
  permissions: 'ask',
  system: 'You are\nthe "reviewer".',
  input: { id: 'input-1', text: 'Review it.' },
  session: { kind: 'new', id: 'session-1' },
  gate: { address: 'http://127.0.0.1:7000', token: TOKEN },
  models: { through: 'gate' },
  tools: ['run', 'submit_verdict'],
};

it('keeps the token out of its arguments', () => {
  const { args, environment, input } = codexCommand(start);
  expect(args.join('\n')).not.toContain(TOKEN);
  expect(Object.values(environment)).toContain(TOKEN);
  expect(input).toBe('Review it.');
});

it('works where nothing of the work is, for whoever judges', () => {
  const { args } = codexCommand(start);
  expect(args[args.indexOf('--cd') + 1]).toBe('/home/agent/session');
  expect(args).toContain('--strict-config');
  expect(args).toContain('sandbox_mode="read-only"');
  expect(args).not.toContain('--dangerously-bypass-approvals-and-sandbox');
});

it.each([
  { sealed: false, permissions: 'everything', bypasses: true },
  { sealed: false, permissions: 'ask', bypasses: false },
  { sealed: true, permissions: 'ask', bypasses: true },
] as const)('lets an owner bypass its sandbox: $bypasses where $permissions, sealed: $sealed', (given) => {
  const { sealed, permissions, bypasses } = given;
  const { args } = codexCommand({ ...start, role: 'owner', sealed, permissions });
  expect(args.includes('--dangerously-bypass-approvals-and-sandbox')).toBe(bypasses);
  expect(args.includes('sandbox_mode="workspace-write"')).toBe(!bypasses);
  expect(args[args.indexOf('--cd') + 1]).toBe('/snapshots/one');
});

it('leaves the person their own way to models where their login is used', () => {
  const login = {
    ...start,
    role: 'owner',
    sealed: false,
    home: null,
    models: { through: 'login', baseUrl: null },
  } as const;
  const { args, environment } = codexCommand(login);
  expect(args.join('\n')).not.toContain('model_provider');
  expect(environment).not.toHaveProperty('CODEX_HOME');
  const own = { ...login, models: { through: 'login', baseUrl: 'http://proxy/v1' } } as const;
  expect(codexCommand(own).args).toContain('openai_base_url="http://proxy/v1"');
});
