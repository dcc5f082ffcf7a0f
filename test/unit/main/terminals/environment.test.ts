import { describe, expect, it } from 'vitest';
import { programEnvironment } from '../../../../src/main/terminals/environment.ts';

describe('programEnvironment', () => {
  it('passes on what programs need', () => {
    const environment = programEnvironment(
      { PATH: '/bin', HOME: '/home/a', LANG: 'C', NODE_ENV: 'test' },
      'm',
    );
    expect(environment).toMatchObject({ PATH: '/bin', HOME: '/home/a', LANG: 'C', NODE_ENV: 'test' });
  });

  it.each([
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'TRIBUNE_DATA',
    'OPENAI_API_KEY',
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'DISCORD_BOT_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_ACCESS_KEY_ID',
    'SSH_AUTH_SOCK',
    'PGPASSWORD',
    'npm_config__auth',
    'my_db_password',
    'npm_lifecycle_event',
    'npm_package_name',
    'INIT_CWD',
  ])('keeps %s from programs', (name) => {
    expect(programEnvironment({ [name]: 'value' }, 'm')).not.toHaveProperty(name);
  });

  it('lets no pager and no question for a password stop a program, and marks it', () => {
    expect(programEnvironment({ PAGER: 'less' }, 'mark-1')).toEqual({
      TERM: 'xterm-256color',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      TRIBUNE_TERMINAL: 'mark-1',
    });
  });
});
