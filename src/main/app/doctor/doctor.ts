import type { CheckView } from '../../../shared/contract/views.ts';
import { describeFailure, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { Parts } from '../../rooms/parts.ts';
import type { Room } from '../../store/rooms.ts';
import type { LoginPath } from '../../terminals/login-path.ts';
import { LEAST_GIT_VERSION } from '../../workspaces/git/git-process.ts';
import { checkEngines } from './check-engines.ts';
import { checkPrograms } from './check-programs.ts';
import { checkKeys } from './check-keys.ts';
import type { Config } from '../config/schema.ts';

/** The check of everything that the product stands on: what is there, what is missing, what to do. */
export function createDoctor(
  parts: Parts,
  config: Config,
  environment: NodeJS.ProcessEnv,
  loginPath: LoginPath,
): () => Promise<Result<CheckView[]>> {
  return async () => {
    const checks: CheckView[] = [
      checkVersion('node', `Node.js ${process.versions.node}`, LEAST_NODE_VERSION),
      await checkGit(parts),
    ];
    const rooms = parts.store.rooms.list();
    checks.push(...(await checkEngines(parts, rooms)));
    checks.push(...checkKeys(config, environment));
    checks.push(...(await checkPrograms(config, loginPath)));
    for (const room of rooms) checks.push(await checkRoom(parts, room));
    return ok(checks);
  };
}

/** better-sqlite3 13 crashes on anything older. */
const LEAST_NODE_VERSION = '22.12';

/** Most time and output that `git --version` gets. */
const GIT_TIMEOUT_MS = 5_000;
const GIT_MAX_BYTES = 1_000;

async function checkGit({ terminals }: Parts): Promise<CheckView> {
  const ran = await terminals.pipe(
    {
      program: 'git',
      args: ['--version'],
      directory: process.cwd(),
      stdin: '',
      timeoutMs: GIT_TIMEOUT_MS,
      maxBytes: GIT_MAX_BYTES,
      onData: () => undefined,
    },
    new AbortController().signal,
  );
  return ran.ok && ran.value.exitCode === 0
    ? checkVersion('git', ran.value.stdout.trim(), LEAST_GIT_VERSION)
    : {
        name: 'git',
        ok: false,
        required: true,
        says: ran.ok ? ran.value.stderr.trim() : describeFailure(ran.failure),
      };
}

/** Whether the version in these words is at least the one that is needed. */
function checkVersion(name: string, words: string, least: string): CheckView {
  const ok = compareVersions(versionIn(words), versionIn(least)) >= 0;
  return { name, ok, required: true, says: ok ? words : `${words}; ${least} or newer is needed` };
}

function versionIn(words: string): readonly [major: number, minor: number] {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(words) ?? [];
  return [Number(major), Number(minor)];
}

function compareVersions(
  [major, minor]: readonly [number, number],
  [otherMajor, otherMinor]: readonly [number, number],
): number {
  return major - otherMajor || minor - otherMinor;
}

async function checkRoom(parts: Parts, room: Room): Promise<CheckView> {
  const report = await parts.workspaceOf(room).inspect();
  const { directory, setup } = room.settings;
  const says = report.ok
    ? `${directory} (${report.value.kind === 'repository' ? 'a git repository' : 'worked in directly'})${
        setup === null && report.value.proposedSetup !== null
          ? `; proposed setup: ${report.value.proposedSetup}`
          : ''
      }`
    : describeFailure(report.failure);
  return { name: `room ${room.name}`, ok: report.ok, required: false, says };
}
