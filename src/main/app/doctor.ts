import type { CheckView } from '../../shared/contract/views.ts';
import { describeFailure, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import type { Role } from '../../shared/vocabulary/words.ts';
import { roles } from '../../shared/vocabulary/words.ts';
import type { EngineSettings } from '../../shared/contract/room.ts';
import type { Parts } from '../rooms/parts.ts';
import type { Room } from '../store/rooms.ts';
import type { LoginPath } from '../terminals/login-path.ts';
import { LEAST_GIT_VERSION } from '../workspaces/git/git-process.ts';
import { checkPrograms } from './check-programs.ts';
import { checkKeys } from './config/check-keys.ts';
import type { Config } from './config/schema.ts';

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
    for (const role of roles) {
      const settings = config.roles[role];
      if (settings === null) {
        checks.push({ name: role, ok: true, required: false, says: 'no engine: deadlocks go to a person' });
        continue;
      }
      // The host's engine matters where a room leaves the role open, and while there is no room yet.
      const required =
        role !== 'arbiter' && (rooms.length === 0 || rooms.some((room) => leavesOpen(room, role)));
      checks.push({ ...(await checkEngine(parts, role, settings)), required });
    }
    checks.push(...checkKeys(config, environment));
    checks.push(...(await checkPrograms(config, loginPath)));
    for (const room of rooms) checks.push(...(await checkRoom(parts, room)));
    return ok(checks);
  };
}

function leavesOpen({ settings }: Room, role: Role): boolean {
  return settings.roles[role] === undefined && (role === 'owner' || settings.mode === 'tribunal');
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

async function checkEngine(parts: Parts, role: Role, settings: EngineSettings): Promise<CheckView> {
  const engine = parts.engines.get(settings.engine);
  const checked = await engine?.check(settings);
  if (checked === undefined) {
    return {
      name: role,
      ok: false,
      required: true,
      says: `The engine ${settings.engine} is not available here.`,
    };
  }
  const usable = checked.ok ? withAccounts(parts, settings, checked.value) : checked;
  const says = usable.ok ? usable.value : describeFailure(usable.failure);
  return { name: role, ok: usable.ok, required: role !== 'arbiter', says: `${settings.engine}: ${says}` };
}

/** What an engine says of itself, with the accounts that it could use; the failure of the first where it can use none. */
function withAccounts({ accounts }: Parts, { engine }: EngineSettings, says: string): Result<string> {
  const sources = accounts.of(engine);
  const opened = sources.map((source) => source.open());
  const names = sources.filter((_, at) => opened[at]?.ok === true).map(({ name }) => name);
  const failed = opened.find((result) => !result.ok);
  if (names.length === 0 && failed !== undefined) return failed;
  return ok(names.length === 0 ? says : `${says} Accounts, in this order: ${names.join(', ')}.`);
}

async function checkRoom(parts: Parts, room: Room): Promise<CheckView[]> {
  const report = await parts.workspaceOf(room).inspect();
  const { directory, setup } = room.settings;
  const says = report.ok
    ? `${directory} (${report.value.kind === 'repository' ? 'a git repository' : 'worked in directly'})${
        setup === null && report.value.proposedSetup !== null
          ? `; proposed setup: ${report.value.proposedSetup}`
          : ''
      }`
    : describeFailure(report.failure);
  const checks: CheckView[] = [{ name: `room ${room.name}`, ok: report.ok, required: false, says }];
  for (const role of roles) {
    const own = room.settings.roles[role];
    if (own === undefined || own === null) continue;
    const check = await checkEngine(parts, role, own);
    checks.push({ ...check, name: `room ${room.name}, ${role}`, required: false });
  }
  return checks;
}
