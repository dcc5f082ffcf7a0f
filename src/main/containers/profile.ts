import type { ContainerCreateOptions, MountSettings } from 'dockerode';
import { inside } from './inside.ts';
import type { InsideUser } from './users.ts';
import { keeper, testerUser, userText } from './users.ts';

const MIB = 1024 * 1024;

/** Most processes and threads. */
const MAX_PROCESSES = 256;
/** What may be written in memory, as shares of a container's memory and in bytes: all together less than it has. */
const HOME_SHARE = 1 / 4;
const WORK_SHARE = 1 / 2;
const TEMPORARY_BYTES = 100 * MIB;
const SHARED_MEMORY_BYTES = 64 * MIB;
const NANO_CPUS_PER_CPU = 1e9;

/** What a container may use of the machine. */
export interface ContainerBounds {
  /** Most memory with all that is written in memory, in MiB, and no swap beside it; 1024 are the least. */
  readonly memoryMb: number;
  /** Most processors; may be a fraction. */
  readonly cpus: number;
}

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

/** All that a container's profile depends on. */
export interface ContainerPlan {
  /** An image's id, not a name that can come to mean another one. */
  readonly image: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly agent: InsideUser;
  readonly mounts: readonly Mounted[];
  readonly submounts: Submounts;
  readonly bounds: ContainerBounds;
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

function hostConfigFor(plan: ContainerPlan): NonNullable<ContainerCreateOptions['HostConfig']> {
  const memoryBytes = plan.bounds.memoryMb * MIB;
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
    Memory: memoryBytes,
    MemorySwap: memoryBytes,
    NanoCpus: Math.round(plan.bounds.cpus * NANO_CPUS_PER_CPU),
    PidsLimit: MAX_PROCESSES,
    ShmSize: SHARED_MEMORY_BYTES,
    // A core file can be written by the host's own handler, outside of all this.
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    Tmpfs: {
      '/tmp': `rw,noexec,nosuid,nodev,size=${TEMPORARY_BYTES},mode=1777`,
      [inside.home]: owned(plan.agent, memoryBytes * HOME_SHARE),
      [inside.work]: owned(testerUser(plan.agent), memoryBytes * WORK_SHARE),
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
