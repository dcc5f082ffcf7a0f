import { describe, expect, it } from 'vitest';
import { deviations } from '../../../../src/main/containers/deviations.ts';
import { containerSpec } from '../../../../src/main/containers/profile.ts';

const spec = containerSpec({
  image: 'sha256:abc',
  name: 'tribune-room',
  labels: {},
  agent: { uid: 1000, gid: 1000 },
  mounts: [{ source: '/data/snapshots', target: '/snapshots', writable: false }],
  submounts: 'left_out',
  bounds: { memoryMb: 2_048, cpus: 2 },
  runtime: null,
});

/** What Docker says of a container that was made so. */
const inspected = {
  Image: 'sha256:abc',
  State: { Running: true },
  Config: { User: '65534:65534' },
  HostConfig: { ...spec.HostConfig, CapAdd: null, Devices: [], VolumesFrom: null },
  Mounts: [{ Type: 'bind', Source: '/data/snapshots', Destination: '/snapshots', RW: false }],
};

function changed(host: Readonly<Record<string, unknown>>): unknown {
  return { ...inspected, HostConfig: { ...inspected.HostConfig, ...host } };
}

describe('what a container is not, that was asked for', () => {
  it('is nothing where it is all there', () => {
    expect(deviations(spec, inspected)).toEqual([]);
  });

  it('is nothing where an engine says the same in its own words', () => {
    const [mount] = inspected.Mounts;
    const said = {
      ...inspected,
      Image: 'abc',
      HostConfig: {
        ...inspected.HostConfig,
        CapDrop: ['CAP_CHOWN', 'CAP_SYS_ADMIN'],
        SecurityOpt: ['no-new-privileges:true'],
        PidMode: 'private',
      },
      Mounts: [
        { ...mount, Source: '/host_mnt/data/snapshots' },
        { Type: 'tmpfs', Destination: '/workbench', RW: true },
      ],
    };
    expect(deviations(spec, said)).toEqual([]);
  });

  it.each([
    ['its image', { ...inspected, Image: 'sha256:other' }],
    ['its end', { ...inspected, State: { Running: false } }],
    ['its user', { ...inspected, Config: { User: '' } }],
    ['a capability', changed({ CapAdd: ['CAP_SYS_ADMIN'] })],
    ['capabilities that were kept', changed({ CapDrop: null })],
    ['privileges to gain', changed({ SecurityOpt: null })],
    ['no seccomp profile', changed({ SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] })],
    ['privilege', changed({ Privileged: true })],
    ['a writable root', changed({ ReadonlyRootfs: false })],
    ['a network', changed({ NetworkMode: 'bridge' })],
    ['shared memory', changed({ IpcMode: 'host' })],
    ['shared processes', changed({ PidMode: 'host' })],
    ['more memory', changed({ Memory: 0 })],
    ['swap', changed({ MemorySwap: -1 })],
    ['more processors', changed({ NanoCpus: 0 })],
    ['more processes', changed({ PidsLimit: null })],
    ['a device', changed({ Devices: [{ PathOnHost: '/dev/kvm' }] })],
    ['a volume', changed({ VolumesFrom: ['other'] })],
    ['other folders in memory', changed({ Tmpfs: { '/tmp': 'rw' } })],
    ['a missing mount', { ...inspected, Mounts: [] }],
    ['a writable mount', { ...inspected, Mounts: inspected.Mounts.map((mount) => ({ ...mount, RW: true })) }],
    [
      'one mount more',
      { ...inspected, Mounts: [...inspected.Mounts, { Type: 'volume', Destination: '/x', RW: true }] },
    ],
    [
      'another source',
      { ...inspected, Mounts: inspected.Mounts.map((mount) => ({ ...mount, Source: '/other' })) },
    ],
    ['words that nobody knows', { Id: 'x' }],
  ])('is found: %s', (_, said) => {
    expect(deviations(spec, said)).toHaveLength(1);
  });
});
