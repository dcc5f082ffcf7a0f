import { describe, expect, it } from 'vitest';
import { claudeCodeDialect as dialect } from '../../../../../src/main/engines/claude-code/dialect.ts';
import type { CliStart } from '../../../../../src/main/engines/coding-cli/dialect.ts';

const start: CliStart = {
  role: 'owner',
  sealed: false,
  directory: '/snapshot',
  home: null,
  model: null,
  permissions: 'everything',
  system: 'You are the owner.',
  input: { id: 'u1', text: 'Go.' },
  session: { kind: 'new', id: 's1' },
  gate: { address: 'http://127.0.0.1:1', token: 'the-token' },
  models: { through: 'gate' },
  tools: ['diff', 'submit_verdict'],
};
const paths = { 'system.md': '/t/system.md', 'mcp.json': '/t/mcp.json', 'settings.json': '/t/settings.json' };
const commandOf = (over: Partial<CliStart>) => dialect.command({ ...start, ...over }, paths);

describe('how Claude Code is started', () => {
  it('keeps the token off its arguments and its environment', () => {
    const { args, environment } = commandOf({});
    expect(JSON.stringify({ args, environment })).not.toContain('the-token');
    expect(Object.values(dialect.files(start)).join()).toContain('the-token');
  });

  it('names the tools as the agent sees them', () => {
    expect(dialect.files(start)['system.md']).toContain('mcp__tribune__submit_verdict');
    expect(
      dialect.files({ ...start, tools: ['ask_permission', 'submit_verdict'] })['system.md'],
    ).not.toContain('ask_permission');
  });

  it.each<[string, Partial<CliStart>, readonly string[], readonly string[]]>([
    ['a new session', {}, ['--session-id', 's1'], ['--resume']],
    ['an old session', { session: { kind: 'resume', id: 's1' } }, ['--resume', 's1'], ['--session-id']],
    ['an owner', {}, ['bypassPermissions'], ['--restricted', '--permission-prompt-tool']],
    [
      'an owner that asks',
      { permissions: 'ask' },
      ['--permission-prompt-tool', 'mcp__tribune__ask_permission'],
      ['bypassPermissions'],
    ],
    [
      'a reviewer',
      { role: 'reviewer', sealed: true, home: '/home/agent' },
      ['--restricted', '--setting-sources', 'Read,Grep,Glob'],
      ['bypassPermissions'],
    ],
    [
      'an arbiter',
      { role: 'arbiter', sealed: true, home: '/home/agent' },
      ['--restricted'],
      ['bypassPermissions'],
    ],
    ['a login', { models: { through: 'login', baseUrl: null } }, ['--include-partial-messages'], []],
    ['a model', { model: 'opus' }, ['--model', 'opus'], []],
  ])('for %s', (_, over, given, missing) => {
    const { args } = commandOf(over);
    for (const each of given) expect(args).toContain(each);
    for (const each of missing) expect(args).not.toContain(each);
  });

  it('sends nothing of ours where the person’s own login is used', () => {
    const settings = dialect.files({ ...start, models: { through: 'login', baseUrl: null } })[
      'settings.json'
    ];
    expect(settings).not.toContain('ANTHROPIC_');
  });

  it('allows everything without a question as root too, and only for an owner that may', () => {
    expect(commandOf({}).environment).toMatchObject({ IS_SANDBOX: '1' });
    expect(commandOf({ permissions: 'ask' }).environment).not.toHaveProperty('IS_SANDBOX');
    expect(commandOf({ role: 'reviewer', sealed: true }).environment).not.toHaveProperty('IS_SANDBOX');
  });

  it('writes a follow-up as one line, whatever is in it', () => {
    const line = dialect.followUp?.('u2', 'two\nlines "quoted"\u2028');
    expect(line?.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(line ?? '')).toMatchObject({ type: 'user', uuid: 'u2' });
  });
});
