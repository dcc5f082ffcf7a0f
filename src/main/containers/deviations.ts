import type { ContainerCreateOptions } from 'dockerode';
import { z } from 'zod';

/** What the engine says of a container, as far as a seal depends on it. Podman leaves out what is empty. */
const inspectedContainer = z.object({
  Image: z.string(),
  State: z.object({ Running: z.boolean() }),
  Config: z.object({ User: z.string() }),
  HostConfig: z.object({
    CapAdd: z.array(z.string()).nullish(),
    CapDrop: z.array(z.string()).nullish(),
    SecurityOpt: z.array(z.string()).nullish(),
    Privileged: z.boolean(),
    ReadonlyRootfs: z.boolean(),
    NetworkMode: z.string(),
    IpcMode: z.string(),
    PidMode: z.string().nullish(),
    Memory: z.number(),
    MemorySwap: z.number(),
    NanoCpus: z.number(),
    PidsLimit: z.number().nullish(),
    Tmpfs: z.record(z.string(), z.string()).nullish(),
    Devices: z.array(z.unknown()).nullish(),
    VolumesFrom: z.array(z.unknown()).nullish(),
  }),
  Mounts: z.array(
    z.object({
      Type: z.string(),
      Source: z.string().optional(),
      Destination: z.string(),
      RW: z.boolean(),
    }),
  ),
});

/**
 * In what a container, as the engine inspects it, is not what was asked for: one that an engine made by leaving out
 * what it doesn't know, one that somebody changed, one that has stopped. Empty where it is.
 */
export function deviations(spec: ContainerCreateOptions, inspected: unknown): readonly string[] {
  const parsed = inspectedContainer.safeParse(inspected);
  if (!parsed.success)
    return [`the engine describes it in an unknown form: ${z.prettifyError(parsed.error)}`];
  const { Image, State, Config, HostConfig: actual, Mounts } = parsed.data;
  const asked = spec.HostConfig ?? {};
  const rows: readonly (readonly [string, boolean])[] = [
    ['it does not run', State.Running],
    ['it has another image', sameId(Image, spec.Image)],
    ['its user is another one', Config.User === spec.User],
    ['it keeps capabilities', dropsAll(actual.CapDrop) && isEmpty(actual.CapAdd)],
    [
      'it may gain privileges',
      (actual.SecurityOpt ?? []).some((option) => /^no-new-privileges(?:$|[:=]true$)/.test(option)),
    ],
    ['it has no seccomp profile', !(actual.SecurityOpt ?? []).includes('seccomp=unconfined')],
    ['it is privileged', !actual.Privileged],
    ['its root file system is writable', actual.ReadonlyRootfs],
    ['it has a network', actual.NetworkMode === asked.NetworkMode],
    ['it shares memory with others', actual.IpcMode === asked.IpcMode],
    ['it sees processes of others', ['', 'private'].includes(actual.PidMode ?? '')],
    ['its memory is not bounded as asked', actual.Memory === asked.Memory],
    ['its swap is not bounded as asked', actual.MemorySwap === asked.MemorySwap],
    ['its processors are not bounded as asked', actual.NanoCpus === asked.NanoCpus],
    ['its processes are not bounded as asked', actual.PidsLimit === asked.PidsLimit],
    ['it has devices of the host', isEmpty(actual.Devices) && isEmpty(actual.VolumesFrom)],
    ['its folders in memory are others', sameTmpfs(actual.Tmpfs ?? {}, asked.Tmpfs)],
    ['its mounts are others', sameMounts(Mounts, asked.Mounts ?? [])],
  ];
  return rows.filter(([, kept]) => !kept).map(([what]) => what);
}

function sameId(actual: string, asked: string | undefined): boolean {
  return actual.replace(/^sha256:/, '') === asked?.replace(/^sha256:/, '');
}

/** Podman lists what `ALL` stands for. */
function dropsAll(dropped: readonly string[] | null | undefined): boolean {
  return dropped?.includes('ALL') === true || (dropped ?? []).includes('CAP_SYS_ADMIN');
}

function isEmpty(list: readonly unknown[] | null | undefined): boolean {
  return (list ?? []).length === 0;
}

function sameTmpfs(
  actual: Readonly<Record<string, string>>,
  asked: Readonly<Record<string, string>> | undefined,
): boolean {
  return sameWords(Object.keys(actual), Object.keys(asked ?? {}));
}

interface InspectedMount {
  readonly Type: string;
  readonly Source?: string | undefined;
  readonly Destination: string;
  readonly RW: boolean;
}

type AskedMount = NonNullable<NonNullable<ContainerCreateOptions['HostConfig']>['Mounts']>[number];

/**
 * Podman lists tmpfs among the mounts; those are compared apart. Docker Desktop puts its virtual machine's folder for
 * the host before a source.
 */
function sameMounts(actual: readonly InspectedMount[], asked: readonly AskedMount[]): boolean {
  const binds = actual.filter(({ Type }) => Type !== 'tmpfs');
  const isThere = ({ Source: source, Target, ReadOnly }: AskedMount): boolean =>
    binds.some(
      ({ Type, Source = '', Destination, RW }) =>
        Type === 'bind' && Source.endsWith(source) && Destination === Target && RW === (ReadOnly !== true),
    );
  return binds.length === asked.length && asked.every(isThere);
}

function sameWords(some: readonly string[], others: readonly string[]): boolean {
  const sorted = [...others].sort();
  return some.length === others.length && [...some].sort().every((word, place) => word === sorted[place]);
}
