import { randomUUID } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { basename, delimiter, isAbsolute } from 'node:path';
import type { Clock } from '../../shared/kernel/clock.ts';
import { describeFailure, err, ok, type Result } from '../../shared/kernel/result.ts';
import type { PipedResult, TerminalFailure } from '../ports/terminal.ts';
import { createTerminals } from './terminals.ts';

/** Where programs are looked for: an app that was started from a menu lacks what a login shell sets. */
export interface LoginPath {
  /**
   * The login shell's PATH, then what only the host's own has. The first call asks the shell, later ones do not; where
   * the shell gives none, it is the host's own. Never rejects.
   */
  path(): Promise<string>;
  /** What came of asking the shell. */
  report(): Promise<LoginPathReport>;
}

/** What came of asking, for the doctor. */
export interface LoginPathReport {
  readonly found: boolean;
  readonly says: string;
}

/** How the login shell is asked. */
export interface LoginPathOptions {
  readonly clock: Clock;
  /** The host's own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By default that of SHELL, else that of the user's entry in the system's list. */
  readonly shell?: string;
  /** How long the shell may take; by default five seconds. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
/** Room for what start-up files print. */
const MAX_BYTES = 1_048_576;
/** What a shell starts with before its own files add to it. */
const BASE_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
/** Variables that a login gives; anything else could make the shell's files skip what they do at a login. */
const LOGIN_NAMES = [
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'ZDOTDIR',
] as const;

/** Asks the person's login shell for its PATH, when that is first wanted. */
export function createLoginPath(options: LoginPathOptions): LoginPath {
  const own = options.environment['PATH'] ?? '';
  let asked: Promise<{ readonly path: string; readonly report: LoginPathReport }> | null = null;
  const ask = async (): Promise<{ readonly path: string; readonly report: LoginPathReport }> => {
    const shell = options.shell ?? loginShell(options.environment);
    const found = await pathOf(shell, options);
    if (!found.ok) {
      return { path: own, report: { found: false, says: describeFailure(found.failure) } };
    }
    const report = { found: true, says: `${found.value} (from ${shell})` };
    return { path: mergedPaths(found.value, own), report };
  };
  return {
    path: async () => (await (asked ??= ask())).path,
    report: async () => (await (asked ??= ask())).report,
  };
}

/** Every folder once, those of the first path first. Relative ones are left out: they would be looked for in the work. */
export function mergedPaths(...paths: readonly string[]): string {
  const folders = paths.flatMap((path) => path.split(delimiter)).filter((folder) => isAbsolute(folder));
  return [...new Set(folders)].join(delimiter);
}

async function pathOf(
  shell: string,
  { clock, environment, timeoutMs = TIMEOUT_MS }: LoginPathOptions,
): Promise<Result<string, TerminalFailure>> {
  if (process.platform === 'win32') return err(noPath('Windows', 'has no login shells'));
  const mark = `path-${randomUUID()}`;
  const login: Record<string, string | undefined> = { HOME: homedir(), PATH: BASE_PATH, SHELL: shell };
  for (const name of LOGIN_NAMES) login[name] = environment[name] ?? login[name];
  const ran = await createTerminals({ clock, environment: login, label: 'login-path' }).pipe(
    {
      program: shell,
      // bash, zsh, fish and POSIX shells take these, and print their PATH so, with ":" between the folders.
      args: ['-i', '-l', '-c', `printf '%s' '${mark}' "$PATH" '${mark}'`],
      directory: '/',
      stdin: '',
      timeoutMs,
      maxBytes: MAX_BYTES,
      onData: () => undefined,
    },
    new AbortController().signal,
  );
  if (!ran.ok) return ran;
  const between = ran.value.stdout.split(mark);
  const [, path = ''] = between;
  // What a shell says while it is being ended may be half of what it would have said.
  const whole =
    !ran.value.timedOut && between.length === 3 && !/\p{Cc}/u.test(path) && mergedPaths(path) !== '';
  return whole ? ok(mergedPaths(path)) : err(noPath(shell, reasonOf(ran.value, timeoutMs)));
}

function reasonOf({ timedOut, exitCode }: PipedResult, timeoutMs: number): string {
  if (timedOut) return `did not say its PATH within ${timeoutMs / 1_000} s`;
  return exitCode === 0
    ? 'gave no PATH that can be read'
    : `ended without saying its PATH (exit code ${exitCode ?? 'none'})`;
}

function noPath(shell: string, why: string): TerminalFailure {
  return {
    tag: 'spawn_failed',
    message: `The login shell ${basename(shell)} ${why}; the PATH that Tribune was started with is used.`,
    next: `Look at what its start-up files do (\`${basename(shell)} -ilc exit\`), or give programs by their full paths.`,
  };
}

function loginShell(environment: LoginPathOptions['environment']): string {
  const named = environment['SHELL'];
  if (named !== undefined && isAbsolute(named)) return named;
  try {
    return userInfo().shell ?? '/bin/sh';
  } catch {
    // A user without an entry in the system's list has no shell there.
    return '/bin/sh';
  }
}
