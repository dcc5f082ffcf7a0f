import type { EngineSettings, RoomSettings } from '../../../shared/contract/room.ts';
import type { CheckView } from '../../../shared/contract/views.ts';
import { describeFailure, err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import type { Role } from '../../../shared/vocabulary/words.ts';
import { roles } from '../../../shared/vocabulary/words.ts';
import type { AccountSource } from '../../ports/accounts.ts';
import type { Parts } from '../../rooms/parts.ts';
import { isSealed } from '../../rooms/turn/runners.ts';
import type { Room } from '../../store/rooms.ts';

/** An engine in a role, as the host or a room has set it, and whether its agent works sealed. */
interface Post {
  /** What the person knows it by. */
  readonly name: string;
  readonly settings: EngineSettings;
  readonly sealed: boolean;
  /** Without it nothing could be worked on. */
  readonly required: boolean;
}

/**
 * Each engine that has a role by the settings of the host and of its rooms, and what those need that work sealed: a
 * container engine with the image, and an account with a key.
 */
export async function checkEngines(parts: Parts, rooms: readonly Room[]): Promise<CheckView[]> {
  const posts = [...hostPosts(parts, rooms), ...rooms.flatMap((room) => roomPosts(parts, room))];
  const sealing = await parts.seals.check();
  const containers = {
    name: 'containers',
    ok: sealing.ok,
    required: posts.some(({ required, sealed }) => required && sealed),
    says: sealing.ok ? sealing.value : describeFailure(sealing.failure),
  };
  const checks: CheckView[] = [containers];
  for (const post of posts) checks.push(await checkPost(parts, post, sealing.ok));
  if (parts.defaultRoles.arbiter === undefined) {
    checks.push({ name: 'arbiter', ok: true, required: false, says: 'no engine: deadlocks go to a person' });
  }
  return checks;
}

/** The host's engine matters where a room leaves the role open, and while there is no room yet. */
function hostPosts(parts: Parts, rooms: readonly Room[]): Post[] {
  return postsOf(parts, '', parts.defaultRoles, parts.defaultFallbacks, false, (role) => {
    return role !== 'arbiter' && (rooms.length === 0 || rooms.some((room) => leavesOpen(room, role)));
  });
}

function leavesOpen({ settings }: Room, role: Role): boolean {
  return settings.roles[role] === undefined && (role === 'owner' || settings.mode === 'tribunal');
}

/** What a room has of its own; the host's engine too where the room seals an owner whom it leaves to the host. */
function roomPosts(parts: Parts, { settings }: Room): Post[] {
  const { name, sealedOwner } = settings;
  const owner = settings.roles.owner ?? (sealedOwner ? parts.defaultRoles.owner : undefined);
  const own = { ...settings.roles, ...(owner === undefined ? {} : { owner }) };
  return postsOf(parts, `room ${name}, `, own, settings.fallbacks, sealedOwner, () => false);
}

function postsOf(
  { engines }: Parts,
  before: string,
  own: RoomSettings['roles'],
  fallbacks: RoomSettings['fallbacks'],
  sealedOwner: boolean,
  isRequired: (role: Role) => boolean,
): Post[] {
  return roles.flatMap((role) => {
    const post = (name: string, settings: EngineSettings, required: boolean): Post => {
      const engine = engines.get(settings.engine);
      const sealed = engine !== undefined && isSealed(engine, sealedOwner, role);
      return { name: `${before}${name}`, settings, sealed, required };
    };
    const [first, second] = [own[role] ?? null, fallbacks[role] ?? null];
    return [
      ...(first === null ? [] : [post(role, first, isRequired(role))]),
      ...(second === null ? [] : [post(`fallback ${role}`, second, false)]),
    ];
  });
}

async function checkPost(parts: Parts, post: Post, canSeal: boolean): Promise<CheckView> {
  const { name, settings, sealed, required } = post;
  const checked = sealed ? checkSealed(parts, settings, canSeal) : await checkOnHost(parts, settings);
  const says = checked.ok ? checked.value : describeFailure(checked.failure);
  return { name, ok: checked.ok, required, says: `${settings.engine}: ${says}` };
}

/** In a container the program is the image's; what matters there is the container, and a key. */
function checkSealed({ accounts }: Parts, { engine }: EngineSettings, canSeal: boolean): Result<string> {
  if (!canSeal) {
    return err({
      tag: 'unsealed',
      message: 'It works in a container only, and there is none to be had.',
      next: 'See "containers" above.',
    });
  }
  const sources = accounts.of(engine).filter(({ serves }) => serves !== 'host');
  if (sources.length === 0) {
    return err({
      tag: 'login',
      message:
        "It works in a container, where a person's own login never goes, and has no account with a key.",
      next: 'Set one up (docs/configuration.md, "Accounts").',
    });
  }
  return withAccounts(sources, 'It works in a container.');
}

async function checkOnHost({ engines, accounts }: Parts, settings: EngineSettings): Promise<Result<string>> {
  const sources = accounts.of(settings.engine).filter(({ serves }) => serves !== 'sealed');
  const needsLogin = sources.length > 0 && sources.every(({ serves }) => serves === 'host');
  const checked = await engines.get(settings.engine)?.check(settings, needsLogin);
  if (checked === undefined) {
    return err({ tag: 'misconfigured', message: 'The engine is not available here.' });
  }
  return checked.ok ? withAccounts(sources, checked.value) : checked;
}

/** What is said of an engine, with the accounts that it could use; the failure of the first where it can use none. */
function withAccounts(sources: readonly AccountSource[], says: string): Result<string> {
  const opened = sources.map((source) => source.open());
  const names = sources.filter((_, at) => opened[at]?.ok === true).map(({ name }) => name);
  const failed = opened.find((result) => !result.ok);
  if (names.length === 0 && failed !== undefined) return failed;
  return ok(names.length === 0 ? says : `${says} Accounts, in this order: ${names.join(', ')}.`);
}
