/** Prefixes of variables that are ours alone. */
const OUR_PREFIXES = ['TRIBUNE_', 'ANTHROPIC_'] as const;

/** Ends of names that credentials usually have, whosever they are: agents hold none. */
const CREDENTIAL_ENDINGS = [
  '_API_KEY',
  '_TOKEN',
  '_SECRET',
  '_PASSWORD',
  '_PASSWD',
  '_CREDENTIALS',
  '_PRIVATE_KEY',
  '_SECRET_KEY',
  '_ACCESS_KEY',
  '_ACCESS_KEY_ID',
  '_AUTH',
  '_KEY',
  '_PAT',
] as const;

/** Credentials, and ways to somebody's credentials, whose names have no such end. */
const CREDENTIAL_NAMES: ReadonlySet<string> = new Set([
  'TOKEN',
  'SECRET',
  'PASSWORD',
  'API_KEY',
  'DATABASE_URL',
  'PGPASSWORD',
  'MYSQL_PWD',
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'KUBECONFIG',
  'NPM_CONFIG__AUTH',
]);

/** Left by the terminal or multiplexer that we were started from; they say nothing true about ours. */
const FOREIGN_TERMINAL_NAMES: ReadonlySet<string> = new Set([
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
  'WINDOWID',
  'TERMCAP',
  'COLUMNS',
  'LINES',
]);

/** Left by npm where it started us; a project's own npm must not take them for its own. */
const LEFT_BY_NPM = [
  'NPM_LIFECYCLE_',
  'NPM_PACKAGE_',
  'NPM_CONFIG_LOCAL_PREFIX',
  'NPM_COMMAND',
  'NPM_EXECPATH',
  'INIT_CWD',
] as const;

/** Programs must not stop for a person: no pager, no question for a password. */
const UNATTENDED = {
  TERM: 'xterm-256color',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
} as const;

/** In the environment of everything that one terminal starts; a process that left its session is found by it. */
export const MARK_VARIABLE = 'TRIBUNE_TERMINAL';

/** What tells the terminals of one install from those of others, and each from the rest. */
export function markOf(label: string, token: string): string {
  return `${labelPart(label)}${token}`;
}

/** The beginning of the marks of all terminals of one install. */
export function labelPart(label: string): string {
  return `${encodeURIComponent(label)}/`;
}

/**
 * What a program gets for its environment: the parent's, without what is ours, without credentials, set up for
 * running unattended, and marked as belonging to one terminal.
 */
export function programEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  mark: string,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    if (value !== undefined && isPassedOn(name.toUpperCase())) environment[name] = value;
  }
  return { ...environment, ...UNATTENDED, [MARK_VARIABLE]: mark };
}

function isPassedOn(name: string): boolean {
  if (LEFT_BY_NPM.some((prefix) => name.startsWith(prefix))) return false;
  if (OUR_PREFIXES.some((prefix) => name.startsWith(prefix))) return false;
  if (CREDENTIAL_ENDINGS.some((ending) => name.endsWith(ending))) return false;
  return !CREDENTIAL_NAMES.has(name) && !FOREIGN_TERMINAL_NAMES.has(name);
}
