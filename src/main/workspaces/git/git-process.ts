import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { Readable } from 'node:stream';
import type { PassThrough } from 'node:stream';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { ifThere, systemErrorCode } from '../../../shared/kernel/system-error.ts';
import type { WorkspaceFailure } from '../../ports/workspace.ts';
import { commandIn, failureOfGit, missingDirectory } from './git-failure.ts';

/**
 * The oldest git that works here, as Debian 11 has it. The newest thing that is asked of git is `init --object-format`
 * (2.29, its release notes).
 */
export const LEAST_GIT_VERSION = '2.30';

/** Longer than any call on a large repository takes; it ends a git that hangs, on a network file system say. */
const GIT_TIMEOUT_MS = 5 * 60_000;

/** Standard error that is kept; git says what went wrong in its last lines. */
const MAX_ERROR_BYTES = 64 * 1024;

export interface GitCall {
  readonly args: readonly string[];
  readonly directory: string;
  /** Added to the clean environment; `undefined` takes a variable out of it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly input?: Buffer | string | Readable;
  /** Takes what git prints as it comes, in place of the answer's `output`. */
  readonly outputTo?: PassThrough;
  /** Exit codes that are answers rather than failures; `[0]` where left out. */
  readonly exits?: readonly number[];
  /** Git is ended once it has printed this much; the answer is then `truncated`. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

export interface GitAnswer {
  readonly exit: number;
  readonly output: Buffer;
  readonly errors: string;
  readonly truncated: boolean;
}

export type Git = (call: GitCall) => Promise<Result<GitAnswer, WorkspaceFailure>>;

/**
 * Runs git without a shell, in an environment in which no variable and no configuration of the person or of the
 * system has a say. What the repository's own configuration may do is the caller's to rule out.
 */
export function createGit(environment: Readonly<Record<string, string | undefined>>): Git {
  const clean = cleanEnvironment(environment);
  return (call) => run(call, { ...clean, ...call.environment });
}

function cleanEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !name.toUpperCase().startsWith('GIT_')) clean[name] = value;
  }
  return {
    ...clean,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    // Git before 2.32 does not know the variable above.
    HOME: devNull,
    XDG_CONFIG_HOME: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    // A missing object must not be fetched: with a hostile remote that would run a program of the project's choice.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

function run(
  call: GitCall,
  env: Record<string, string | undefined>,
): Promise<Result<GitAnswer, WorkspaceFailure>> {
  const { promise, resolve } = Promise.withResolvers<Result<GitAnswer, WorkspaceFailure>>();
  const maxBytes = call.maxBytes ?? Number.POSITIVE_INFINITY;
  const timeoutMs = call.timeoutMs ?? GIT_TIMEOUT_MS;
  const child = spawn('git', call.args, { cwd: call.directory, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  let outputBytes = 0;
  let errors = '';
  let truncated = false;
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill('SIGKILL');
  }, timeoutMs);

  child.on('error', (cause: NodeJS.ErrnoException) => {
    // "close" comes too, but knows less.
    child.removeAllListeners('close');
    clearTimeout(timer);
    call.outputTo?.end();
    abandonInput(call);
    void failureToStart(cause, call.directory).then((failure) => {
      resolve(err(failure));
    });
  });
  // Without a free file descriptor there are not even the streams that are used below.
  if (child.pid === undefined) return promise;

  if (call.outputTo !== undefined) child.stdout.pipe(call.outputTo);
  else
    child.stdout.on('data', (chunk: Buffer) => {
      if (truncated) return;
      const room = maxBytes - outputBytes;
      output.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      outputBytes += Math.min(chunk.length, room);
      if (chunk.length > room) {
        truncated = true;
        child.kill('SIGKILL');
      }
    });
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-MAX_ERROR_BYTES);
  });
  child.stdin.on('error', () => {
    // Git ended before it had read everything; its exit code says why.
    abandonInput(call);
  });
  if (call.input instanceof Readable) call.input.pipe(child.stdin);
  else child.stdin.end(call.input ?? '');
  child.on('close', (code) => {
    clearTimeout(timer);
    const exit = code ?? -1;
    if (timedOut) {
      resolve(err(slowGit(call, timeoutMs)));
    } else if (truncated || (call.exits ?? [0]).includes(exit)) {
      resolve(ok({ exit, output: Buffer.concat(output), errors, truncated }));
    } else {
      resolve(err(failureOfGit(call.args, exit, errors)));
    }
  });
  return promise;
}

/** Whoever writes what git was to read would otherwise wait for ever. */
function abandonInput({ input }: GitCall): void {
  if (input instanceof Readable) input.resume();
}

function slowGit(call: GitCall, timeoutMs: number): WorkspaceFailure {
  return {
    tag: 'git_failed',
    message: `"git ${commandIn(call.args)}" in ${call.directory} took more than ${timeoutMs / 1000} seconds and was ended.`,
    next: 'See whether the disk answers, then try again.',
  };
}

async function failureToStart(cause: NodeJS.ErrnoException, directory: string): Promise<WorkspaceFailure> {
  // Where it is the directory that is not there, the system says the same as of a missing program. Any other error
  // in looking says nothing of that, and the first one is told.
  const gone = await ifThere(stat(directory)).then(
    (found) => found === null,
    () => false,
  );
  if (gone) return missingDirectory(directory);
  if (systemErrorCode(cause) !== 'ENOENT') {
    return {
      tag: 'git_failed',
      message: `Git could not be started: ${cause.message}.`,
      next: 'See whether the system allows more open files and programs, then try again.',
    };
  }
  return {
    tag: 'git_missing',
    message: `Git could not be started: ${cause.message}.`,
    next: `Install git ${LEAST_GIT_VERSION} or newer and see that "git --version" works.`,
  };
}
