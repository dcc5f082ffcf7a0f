import { err, ok, type Result } from '../../../shared/kernel/result.ts';
import type { CliPlace, HostPlaces } from '../../ports/coding-cli.ts';
import type { EngineFailure } from '../../ports/engine.ts';
import type { CliDialect } from './dialect.ts';
import { failureOfPlace } from './faults.ts';

/** What a program answers to such questions in, in characters. */
const KEPT_CHARACTERS = 20_000;

/** Looks at a program on the host: that it is there, new enough, and whether the person is logged in. */
export async function checkProgram(
  dialect: CliDialect,
  program: string,
  places: HostPlaces,
  directory: string,
  needsLogin: boolean,
): Promise<Result<string, EngineFailure>> {
  const opened = await places.open(directory);
  if (!opened.ok) return err(failureOfPlace(opened.failure, dialect.install));
  try {
    const { cli } = opened.value;
    const asked = await ask(cli, program, dialect.versionArgs);
    if (!asked.ok) return err(failureOfPlace(asked.failure, dialect.install));
    const version = versionIn(asked.value.output);
    if (version === null) return err(noVersion(dialect, program, asked.value.output));
    if (isOlder(version, dialect.leastVersion.version)) return err(tooOld(dialect, program, version));
    const login = await ask(cli, program, dialect.login.args);
    const loggedIn = login.ok ? dialect.login.read(login.value.exitCode, login.value.output) : null;
    if (loggedIn === false && needsLogin) return err(notLoggedIn(dialect));
    const found = `${dialect.title} ${version.join('.')}, ${loginText(loggedIn)}.`;
    return ok(dialect.lacks === null ? found : `${found} ${dialect.lacks}`);
  } finally {
    await opened.value.close();
  }
}

function loginText(loggedIn: boolean | null): string {
  if (loggedIn === null) return 'of which it cannot be told whether you are logged in';
  return loggedIn ? 'and you are logged in' : 'and you are not logged in';
}

async function ask(cli: CliPlace, program: string, args: readonly string[]) {
  let output = '';
  const decoder = new TextDecoder();
  const keep = (chunk: Uint8Array): void => {
    output = (output + decoder.decode(chunk, { stream: true })).slice(0, KEPT_CHARACTERS);
  };
  const started = await cli.start(
    { program, args, environment: {}, onOutput: keep, onProblem: keep, onScreen: () => undefined },
    new AbortController().signal,
  );
  if (!started.ok) return started;
  started.value.endInput();
  const { exitCode } = await started.value.ended;
  return ok({ exitCode, output });
}

type Version = readonly [number, number, number];

function versionIn(output: string): Version | null {
  const found = /\b(\d+)\.(\d+)\.(\d+)\b/.exec(output);
  return found === null ? null : [Number(found[1]), Number(found[2]), Number(found[3])];
}

function isOlder(version: Version, least: Version): boolean {
  const differing = version.findIndex((part, index) => part !== least[index]);
  return differing !== -1 && (version[differing] ?? 0) < (least[differing] ?? 0);
}

function noVersion(dialect: CliDialect, program: string, output: string): EngineFailure {
  const [line = ''] = output.trim().split('\n');
  return {
    tag: 'misconfigured',
    forGood: true,
    message: `${program} does not say which version of ${dialect.title} it is: "${line.slice(0, 200)}".`,
    next: dialect.install,
  };
}

function notLoggedIn({ title, login }: CliDialect): EngineFailure {
  return {
    tag: 'login',
    forGood: true,
    message: `Nobody is logged in with ${title}, and it has no account with a key.`,
    next: login.next,
  };
}

function tooOld(dialect: CliDialect, program: string, version: Version): EngineFailure {
  const least = dialect.leastVersion.version.join('.');
  return {
    tag: 'misconfigured',
    forGood: true,
    message: `${program} is ${dialect.title} ${version.join('.')}, which is too old: ${dialect.leastVersion.because}.`,
    next: `Update it to ${least} or newer.`,
  };
}
