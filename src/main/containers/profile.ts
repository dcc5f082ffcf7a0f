import type { ContainerCreateOptions, MountSettings } from 'dockerode';
import { inside } from './inside.ts';
import type { InsideUser } from './users.ts';
import { keeper, testerUser, userText } from './users.ts';

const MIB = 1024 * 1024;

/** Most memory of a container with all that is in its tmpfs, which together are smaller; in bytes. */
const MEMORY_BYTES = 2048 * MIB;
const NANO_CPUS = 2e9;
/** Most processes and threads. */
const MAX_PROCESSES = 256;
/** Bounds of what is in memory, in bytes. */
const HOME_BYTES = 512 * MIB;
const WORK_BYTES = 1024 * MIB;
const TEMPORARY_BYTES = 100 * MIB;
const SHARED_MEMORY_BYTES = 64 * MIB;

/** A directory of the host that is mounted. */
export interface Mounted {
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

/**
 * How a read-only mount keeps what is mounted below it read-only: the engine makes them so or fails (API 1.44, Linux
 * 5.12), or they are not mounted at all, for an older engine would leave them writable.
 */
export type Submounts = 'read_only' | 'left_out';

export interface ContainerPlan {
  /** An image's id, not a name that can come to mean another one. */
  readonly image: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly agent: InsideUser;
  readonly mounts: readonly Mounted[];
  readonly submounts: Submounts;
  /** A runtime of the engine, such as gVisor's `runsc`; null for the engine's own choice. */
  readonly runtime: string | null;
}

/** The hardening profile: nothing of the host but the mounts, no network, no privilege, and a bound on everything. */
export function containerSpec(plan: ContainerPlan): ContainerCreateOptions {
  return {
    name: plan.name,
    Image: plan.image,
    Labels: { ...plan.labels },
    User: userText(keeper),
    // Everything that works in it is an exec: this only keeps the container there.
    Entrypoint: [],
    Cmd: ['sleep', 'infinity'],
    WorkingDir: '/',
    HostConfig: hostConfigFor(plan),
  };
}

export function hostConfigFor(plan: ContainerPlan): NonNullable<ContainerCreateOptions['HostConfig']> {
  return {
    CapDrop: ['ALL'],
    // The engine's own seccomp profile holds where no other is named.
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
    ReadonlyRootfs: true,
    NetworkMode: 'none',
    IpcMode: 'private',
    PidMode: '',
    UTSMode: '',
    // Empty is the daemon's own setting: mapped users where it maps them.
    UsernsMode: '',
    Memory: MEMORY_BYTES,
    MemorySwap: MEMORY_BYTES,
    NanoCpus: NANO_CPUS,
    PidsLimit: MAX_PROCESSES,
    ShmSize: SHARED_MEMORY_BYTES,
    // A core file can be written by the host's own handler, outside of all this.
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    Tmpfs: {
      '/tmp': `rw,noexec,nosuid,nodev,size=${TEMPORARY_BYTES},mode=1777`,
      [inside.home]: owned(plan.agent, HOME_BYTES),
      [inside.work]: owned(testerUser(plan.agent), WORK_BYTES),
    },
    Mounts: plan.mounts.map((mounted) => bindMount(mounted, plan.submounts)),
    Init: true,
    AutoRemove: false,
    RestartPolicy: { Name: '', MaximumRetryCount: 0 },
    LogConfig: { Type: 'none', Config: {} },
    ...(plan.runtime === null ? {} : { Runtime: plan.runtime }),
  };
}

function owned({ uid, gid }: InsideUser, bytes: number): string {
  return `rw,exec,nosuid,nodev,size=${bytes},mode=0700,uid=${uid},gid=${gid}`;
}

/** The types of the library do not know how submounts are treated. */
interface BindMount extends MountSettings {
  readonly BindOptions: NonNullable<MountSettings['BindOptions']> & {
    readonly NonRecursive?: boolean;
    readonly ReadOnlyForceRecursive?: boolean;
  };
}

function bindMount({ source, target, writable }: Mounted, submounts: Submounts): BindMount {
  const below =
    writable || submounts === 'left_out' ? { NonRecursive: true } : { ReadOnlyForceRecursive: true };
  return {
    Type: 'bind',
    Source: source,
    Target: target,
    ReadOnly: !writable,
    BindOptions: { Propagation: 'rprivate', ...below },
  };
}

/** Places of the engine's own socket: who has it, has the host. */
const ENGINE_SOCKETS = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/podman/podman.sock',
  '/var/run/podman/podman.sock',
] as const;

/** The first mount that would bring the engine's socket into the container; undefined where none does. */
export function mountWithEngineSocket(
  mounts: readonly Mounted[],
  socketPath: string | null,
): Mounted | undefined {
  const sockets = socketPath === null ? ENGINE_SOCKETS : [...ENGINE_SOCKETS, socketPath];
  return mounts.find(({ source }) => {
    const folder = source.replace(/\/+$/, '');
    return sockets.some((socket) => socket === folder || socket.startsWith(`${folder}/`));
  });
}
