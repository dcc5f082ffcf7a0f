import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../../../src/main/app/config/read-config.ts';
import { createAccounts } from '../../../../../src/main/app/config/accounts.ts';
import { checkKeys } from '../../../../../src/main/app/doctor/check-keys.ts';
import { configSchema } from '../../../../../src/main/app/config/schema.ts';
import type { Config } from '../../../../../src/main/app/config/schema.ts';
import type { EngineName } from '../../../../../src/shared/vocabulary/words.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const KEY = 'sk-canary-0123456789';

function config(settings: object): Config {
  return configSchema.parse(settings);
}

/** The accounts of an engine as name, where they serve, how their key is sent, and their address. */
function accountsOf(engine: EngineName, settings: object, environment: NodeJS.ProcessEnv = {}) {
  return createAccounts(config(settings), environment)
    .of(engine)
    .map((source) => {
      const opened = source.open();
      const account = opened.ok ? opened.value : null;
      return [source.name, source.serves, account?.access?.sentAs ?? null, account?.baseUrl ?? null];
    });
}

describe('accounts without settings', () => {
  it('are the environment’s key for the Messages API, at the environment’s address', () => {
    const environment = { ANTHROPIC_API_KEY: ` ${KEY}\n`, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/' };
    expect(accountsOf('anthropic', {}, environment)).toEqual([
      ['ANTHROPIC_API_KEY', 'both', 'api_key', 'http://127.0.0.1:1'],
    ]);
    const [source] = createAccounts(config({}), environment).of('anthropic');
    expect(source?.open()).toMatchObject({ ok: true });
    const opened = source?.open();
    expect(opened?.ok === true && opened.value.access?.key.expose()).toBe(KEY);
    expect(inspect(opened, { depth: 9 })).not.toContain(KEY);
  });

  it('are the person’s own login on the host, and for sealed agents the keys that are there', () => {
    expect(accountsOf('claude-code', {})).toEqual([['own', 'host', null, null]]);
    const keys = { ANTHROPIC_API_KEY: KEY, CLAUDE_CODE_OAUTH_TOKEN: KEY, OPENAI_API_KEY: KEY };
    expect(accountsOf('claude-code', {}, keys)).toEqual([
      ['own', 'host', null, null],
      ['ANTHROPIC_API_KEY', 'sealed', 'api_key', null],
      ['CLAUDE_CODE_OAUTH_TOKEN', 'sealed', 'bearer', null],
    ]);
    expect(accountsOf('codex', {}, keys)).toEqual([
      ['own', 'host', null, null],
      ['OPENAI_API_KEY', 'sealed', 'api_key', null],
    ]);
  });

  it('say which variable lacks, and there are none for programs', () => {
    const [source] = createAccounts(config({}), {}).of('anthropic');
    expect(source?.open()).toMatchObject({ failure: { tag: 'key_missing' } });
    expect(JSON.stringify(source?.open())).toContain('ANTHROPIC_API_KEY is not set');
    expect(accountsOf('command', {})).toEqual([]);
  });
});

describe('accounts that the settings name', () => {
  it('are used in their order, each at its own address, else at the engine’s', () => {
    const engines = {
      'claude-code': {
        baseUrl: 'https://proxy.example/',
        accounts: [
          { name: 'mine', login: 'own' },
          { name: 'team', key: { environment: 'TEAM' }, sentAs: 'bearer' },
          { name: 'far', key: { environment: 'TEAM' }, baseUrl: 'https://far.example' },
        ],
      },
    };
    expect(accountsOf('claude-code', { engines }, { TEAM: KEY, ANTHROPIC_API_KEY: 'unused' })).toEqual([
      ['mine', 'host', null, null],
      ['team', 'both', 'bearer', 'https://proxy.example'],
      ['far', 'both', 'api_key', 'https://far.example'],
    ]);
  });

  it('have their key read from its file each time', () => {
    const file = join(temporaryFolder('keys'), 'team.key');
    const engines = { anthropic: { accounts: [{ name: 'team', key: { file } }] } };
    const [source] = createAccounts(config({ engines }), {}).of('anthropic');
    expect(source?.open()).toMatchObject({ failure: { tag: 'key_missing' } });
    writeFileSync(file, `${KEY}\n`, { mode: 0o600 });
    expect(source?.open()).toMatchObject({ ok: true });
    writeFileSync(file, 'two words');
    expect(source?.open()).toMatchObject({ failure: { tag: 'key_unreadable' } });
    expect(JSON.stringify(source?.open())).not.toContain('two words');
    writeFileSync(file, '');
    expect(source?.open()).toMatchObject({ failure: { tag: 'key_unreadable' } });
  });

  it('a key file that others can read, or that is missing, is told by the doctor', () => {
    const folder = temporaryFolder('keys');
    const file = join(folder, 'team.key');
    const engines = { anthropic: { accounts: [{ name: 'team', key: { file } }] } };
    const models = { name: 'second', api: 'openai', model: 'm', baseUrl: 'https://m.example', key: { file } };
    const settings = config({ engines, referenceModels: [models] });
    expect(checkKeys(settings, {}).map(({ name }) => name)).toEqual([
      'account team of anthropic',
      'reference model second',
    ]);
    writeFileSync(file, KEY, { mode: 0o644 });
    expect(checkKeys(settings, {})[0]).toMatchObject({ ok: false, required: false });
    expect(checkKeys(settings, {})[0]?.says).toContain(`chmod 600 ${file}`);
    chmodSync(file, 0o600);
    expect(checkKeys(settings, {})).toEqual([]);
  });
});

describe('settings that cannot be used', () => {
  const key = { environment: 'K' };
  it.each([
    [
      'a key itself',
      { engines: { anthropic: { accounts: [{ name: 'a', key: KEY }] } } },
      /never the key itself/,
    ],
    [
      'an own login without a program',
      { engines: { anthropic: { accounts: [{ name: 'a', login: 'own' }] } } },
      /accounts/,
    ],
    [
      'one name twice',
      {
        engines: {
          codex: {
            accounts: [
              { name: 'a', key },
              { name: 'a', key },
            ],
          },
        },
      },
      /name of its own/,
    ],
    ['no account at all', { engines: { codex: { accounts: [] } } }, /accounts/],
    ['an address that is none', { engines: { codex: { baseUrl: 'localhost' } } }, /baseUrl/],
    ['a program that is no path', { engines: { codex: { program: 'codex' } } }, /absolute path/],
    ['too little memory', { containers: { memoryMb: 1 } }, /memoryMb/],
    ['an unknown setting', { fallback: {} }, /fallback/],
  ])('%s: the host says what is wrong', (_, settings, problem) => {
    const folder = temporaryFolder('home');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.json'), JSON.stringify(settings));
    const read = readConfig(folder);
    expect(read).toMatchObject({ ok: false, failure: { tag: 'bad_config' } });
    if (read.ok) return;
    expect(read.failure.message).toMatch(problem);
    expect(read.failure.message).not.toContain(KEY);
  });

  it('all of them have defaults', () => {
    expect(config({})).toMatchObject({
      fallbacks: {},
      engines: { codex: { program: null, accounts: null, baseUrl: null } },
      containers: { image: null, memoryMb: 2_048, cpus: 2, idleMinutes: 15, runtime: null },
      referenceModels: [],
    });
  });
});
