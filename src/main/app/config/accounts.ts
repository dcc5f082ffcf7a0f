import { ok } from '../../../shared/kernel/result.ts';
import type { EngineName } from '../../../shared/vocabulary/words.ts';
import type { Accounts, AccountSource } from '../../ports/accounts.ts';
import { readKey } from './keys.ts';
import type { Config, KeyAccount } from './schema.ts';

type Environment = NodeJS.ProcessEnv;

/** The accounts that the settings name, and where they name none, those that the environment gives. */
export function createAccounts({ engines }: Pick<Config, 'engines'>, environment: Environment): Accounts {
  const anthropicUrl = engines.anthropic.baseUrl ?? urlIn(environment, 'ANTHROPIC_BASE_URL');
  const claudeUrl = engines['claude-code'].baseUrl ?? urlIn(environment, 'ANTHROPIC_BASE_URL');
  const openaiUrl = engines.codex.baseUrl ?? urlIn(environment, 'OPENAI_BASE_URL');
  const keyed =
    (baseUrl: string | null, serves: AccountSource['serves']) =>
    (account: KeyAccount): AccountSource =>
      keyAccount(account, baseUrl, serves, environment);
  const listed = (engine: 'claude-code' | 'codex', baseUrl: string | null): AccountSource[] | null =>
    engines[engine].accounts?.map((account) =>
      'login' in account ? ownLogin(account.name) : keyed(baseUrl, 'both')(account),
    ) ?? null;

  const accounts: Readonly<Record<EngineName, readonly AccountSource[]>> = {
    anthropic: (engines.anthropic.accounts ?? [inVariable('ANTHROPIC_API_KEY')]).map(
      keyed(anthropicUrl, 'both'),
    ),
    'claude-code': listed('claude-code', claudeUrl) ?? [
      ownLogin('own'),
      ...givenIn(environment, [
        inVariable('ANTHROPIC_API_KEY'),
        { ...inVariable('CLAUDE_CODE_OAUTH_TOKEN'), sentAs: 'bearer' },
      ]).map(keyed(claudeUrl, 'sealed')),
    ],
    codex: listed('codex', openaiUrl) ?? [
      ownLogin('own'),
      ...givenIn(environment, [inVariable('OPENAI_API_KEY')]).map(keyed(openaiUrl, 'sealed')),
    ],
    command: [],
  };
  return { of: (engine) => accounts[engine] };
}

/** A key in a variable of the environment, as an account of that name. */
function inVariable(name: string): KeyAccount {
  return { name, key: { environment: name }, sentAs: 'api_key', baseUrl: null };
}

function givenIn(environment: Environment, accounts: readonly KeyAccount[]): KeyAccount[] {
  return accounts.filter(({ name }) => (environment[name]?.trim() ?? '') !== '');
}

function urlIn(environment: Environment, name: string): string | null {
  const url = environment[name]?.trim().replace(/\/+$/, '') ?? '';
  return url === '' ? null : url;
}

function ownLogin(name: string): AccountSource {
  return { name, serves: 'host', open: () => ok({ name, access: null, baseUrl: null }) };
}

function keyAccount(
  { name, key: source, sentAs, baseUrl: own }: KeyAccount,
  baseUrl: string | null,
  serves: AccountSource['serves'],
  environment: Environment,
): AccountSource {
  return {
    name,
    serves,
    open() {
      const key = readKey(source, environment);
      return key.ok ? ok({ name, access: { key: key.value, sentAs }, baseUrl: own ?? baseUrl }) : key;
    },
  };
}
