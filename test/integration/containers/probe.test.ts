import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { probe } from '../../../src/main/containers/probe.ts';
import { describeWithReviewerImage } from '../../support/reviewer-image.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { resources, valueOf } from './sealed-room.ts';

const script = readFileSync(join(resources, 'probe.bash'), 'utf8');

describeWithReviewerImage('the probe', ({ docker, image }) => {
  it('finds what is open in a container that is not sealed', async () => {
    const snapshots = temporaryFolder('open');
    const container = await docker.createContainer({
      Image: image,
      Entrypoint: [],
      Cmd: ['sleep', '300'],
      User: '0:0',
      HostConfig: {
        Binds: [`${snapshots}:/snapshots`],
        SecurityOpt: ['seccomp=unconfined'],
        CapAdd: ['SYS_ADMIN'],
      },
    });
    onTestFinished(() => container.remove({ force: true }).then(() => undefined));
    await container.start();
    const attempts = valueOf(await probe(container, 'tester', { uid: 0, gid: 0 }, script, []));
    const broken = attempts.filter(({ held }) => !held).map(({ name }) => name.replace('tester: ', ''));
    expect(broken).toEqual(
      expect.arrayContaining([
        'write to the mount /snapshots',
        'have /snapshots mounted writable',
        'write to the root file system',
        'find a network',
        'be root',
        'have a capability',
        'gain privileges',
        'make system calls without a filter',
        'make a mount namespace',
        'start 300 processes',
      ]),
    );
  });

  it('is no probe where it cannot be run to its end', async () => {
    const container = await docker.createContainer({
      Image: image,
      Entrypoint: [],
      Cmd: ['sleep', '300'],
      HostConfig: { NetworkMode: 'none' },
    });
    onTestFinished(() => container.remove({ force: true }).then(() => undefined));
    await container.start();
    const cut = script.slice(0, script.indexOf('if [ "$role" = agent ]'));
    const found = await probe(container, 'agent', { uid: 1000, gid: 1000 }, cut, []);
    expect(found).toMatchObject({ ok: false, failure: { tag: 'start_failed' } });
  });
});
