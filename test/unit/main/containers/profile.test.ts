import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { submountsOf } from '../../../../src/main/containers/engine-facts.ts';
import { mountsFor } from '../../../../src/main/containers/make-container.ts';
import { containerSpec, mountWithEngineSocket } from '../../../../src/main/containers/profile.ts';
import type { ContainerPlan, Mounted } from '../../../../src/main/containers/profile.ts';
import { agentUser, testerUser } from '../../../../src/main/containers/users.ts';

const MIB = 2 ** 20;

const hostConfigFor = (of: ContainerPlan) => containerSpec(of).HostConfig ?? {};

const plan: ContainerPlan = {
  image: 'sha256:abc',
  name: 'tribune-room',
  labels: { 'dev.tribune.install': 'install' },
  agent: { uid: 1000, gid: 1000 },
  mounts: mountsFor({
    snapshots: '/data/snapshots',
    worktree: null,
    dependencies: [{ source: '/home/person/project/node_modules' }],
    gateDirectory: '/data/gate',
  }),
  submounts: 'read_only',
  bounds: { memoryMb: 2_048, cpus: 2 },
  runtime: null,
};

describe('the hardening profile', () => {
  const host = hostConfigFor(plan);

  it.each([
    ['drops all capabilities', host.CapDrop, ['ALL']],
    ['lets nothing gain privileges', host.SecurityOpt, ['no-new-privileges']],
    ['is not privileged', host.Privileged, false],
    ['has a read-only root', host.ReadonlyRootfs, true],
    ['has no network', host.NetworkMode, 'none'],
    ['shares no memory', host.IpcMode, 'private'],
    ['shares no processes', host.PidMode, ''],
    ["keeps the daemon's mapping of users", host.UsernsMode, ''],
    ['bounds memory', host.Memory, 2048 * MIB],
    ['has no swap beyond', host.MemorySwap, host.Memory],
    ['bounds processors', host.NanoCpus, 2e9],
    ['is not restarted', host.RestartPolicy?.Name, ''],
    ['keeps no log', host.LogConfig?.Type, 'none'],
    ['reaps what is left over', host.Init, true],
    ['has no devices', host.Devices, undefined],
    ['adds no capability', host.CapAdd, undefined],
    ['writes no core files', host.Ulimits, [{ Name: 'core', Soft: 0, Hard: 0 }]],
    ['has no runtime of its own', host.Runtime, undefined],
  ])('%s', (_, value, expected) => {
    expect(value).toEqual(expected);
  });

  it('allows at most 256 processes', () => {
    expect(host.PidsLimit).toBeGreaterThan(0);
    expect(host.PidsLimit).toBeLessThanOrEqual(256);
  });

  it('never switches the seccomp profile off', () => {
    expect(JSON.stringify(host.SecurityOpt)).not.toContain('unconfined');
  });

  it('has bounded memory to write in, which cannot use all of its memory up', () => {
    expect(host.Tmpfs).toEqual({
      '/tmp': `rw,noexec,nosuid,nodev,size=${100 * MIB},mode=1777`,
      '/home/agent': `rw,exec,nosuid,nodev,size=${512 * MIB},mode=0700,uid=1000,gid=1000`,
      '/workbench': `rw,exec,nosuid,nodev,size=${1024 * MIB},mode=0700,uid=1001,gid=1001`,
    });
    for (const memoryMb of [1_024, 2_048, 65_536]) {
      const {
        Tmpfs = {},
        ShmSize = Infinity,
        Memory = 0,
      } = hostConfigFor({
        ...plan,
        bounds: { memoryMb, cpus: 2 },
      });
      const sizes = Object.values(Tmpfs).map((options) => Number(/size=(\d+),/.exec(options)?.[1]));
      expect(sizes.reduce((sum, size) => sum + size, ShmSize)).toBeLessThan(Memory);
    }
  });

  it('is as large as the settings say', () => {
    const bounds = { memoryMb: 4_096, cpus: 0.7 };
    const { Memory, MemorySwap, NanoCpus } = hostConfigFor({ ...plan, bounds });
    expect({ Memory, MemorySwap, NanoCpus }).toEqual({
      Memory: 4_096 * MIB,
      MemorySwap: 4_096 * MIB,
      NanoCpus: 7e8,
    });
  });

  it('runs nothing as root', () => {
    expect(containerSpec(plan).User).toBe('65534:65534');
    const host = fc.record({ uid: fc.nat(70_000), gid: fc.nat(70_000) });
    fc.assert(
      fc.property(fc.option(host), (person) => {
        const agent = agentUser(person);
        const tester = testerUser(agent);
        expect(agent.uid).not.toBe(0);
        expect(tester.uid).not.toBe(0);
        expect(tester.uid).not.toBe(agent.uid);
      }),
    );
  });

  it('mounts what is read so that it stays so all the way down, or without what is below', () => {
    const binds = (submounts: ContainerPlan['submounts']): unknown[] =>
      hostConfigFor({ ...plan, submounts }).Mounts?.map(({ Target, ReadOnly, BindOptions }) => ({
        Target,
        ReadOnly,
        BindOptions,
      })) ?? [];
    for (const [submounts, option] of [
      ['read_only', { ReadOnlyForceRecursive: true }],
      ['left_out', { NonRecursive: true }],
    ] as const) {
      expect(binds(submounts)).toEqual(
        ['/snapshots', '/dependencies/0', '/gate'].map((Target) => ({
          Target,
          ReadOnly: true,
          BindOptions: { Propagation: 'rprivate', ...option },
        })),
      );
    }
  });

  it("mounts a sealed owner's worktree writable, in place of the snapshots", () => {
    const mounts = mountsFor({
      snapshots: '/data/snapshots',
      worktree: '/data/worktree',
      dependencies: [],
      gateDirectory: '/data/gate',
    });
    expect(mounts.map(({ target, writable }) => [target, writable])).toEqual([
      ['/worktree', true],
      ['/gate', false],
    ]);
  });

  it('takes a runtime that is asked for', () => {
    expect(hostConfigFor({ ...plan, runtime: 'runsc' }).Runtime).toBe('runsc');
  });
});

describe('whether an engine keeps submounts read-only', () => {
  it.each([
    ['1.41', '6.18.44', 'left_out'],
    ['1.43', '6.1.0', 'left_out'],
    ['1.44', '5.11.0-generic', 'left_out'],
    ['1.44', '5.12.0', 'read_only'],
    ['1.51', '6.1.0-13-amd64', 'read_only'],
    ['2.0', '6.1', 'read_only'],
    ['1.44', '', 'left_out'],
    ['odd', 'odd', 'left_out'],
  ])('API %s on Linux %s: %s', (api, kernel, expected) => {
    expect(submountsOf(api, kernel)).toBe(expected);
  });
});

describe('a mount with the socket of the container engine', () => {
  const mount = (source: string): Mounted => ({ source, target: '/snapshots', writable: false });

  it.each([
    '/',
    '/var',
    '/var/run',
    '/run/',
    '/run/docker.sock',
    '/run/podman',
    '/own',
    '/own/place/engine.sock',
  ])('is found at %s', (source) => {
    const mounts = [mount('/data'), mount(source)];
    expect(mountWithEngineSocket(mounts, '/own/place/engine.sock')).toBe(mounts[1]);
  });

  it.each(['/data', '/run/user', '/own/place/engine', '/var/running', '/own/pla'])(
    'is not at %s',
    (source) => {
      expect(mountWithEngineSocket([mount(source)], '/own/place/engine.sock')).toBeUndefined();
    },
  );
});
