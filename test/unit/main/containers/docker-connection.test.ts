import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectDocker } from '../../../../src/main/containers/docker-connection.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the connection to a container engine', () => {
  it.each([
    ['unix:///tmp/some.sock', { socketPath: '/tmp/some.sock' }],
    ['npipe:////./pipe/some', { socketPath: '//./pipe/some' }],
    ['tcp://127.0.0.1:1234', { host: '127.0.0.1', port: 1234, protocol: 'http' }],
    ['tcp://127.0.0.1', { host: '127.0.0.1', port: 2375, protocol: 'http' }],
    ['http://[::1]:1234', { host: '[::1]', port: 1234, protocol: 'http' }],
  ])('goes to %s where DOCKER_HOST says so', async (address, place) => {
    const docker = await connectDocker({ DOCKER_HOST: address });
    expect(docker.ok && docker.value.modem).toMatchObject(place);
  });

  it.each(['ssh://host', '127.0.0.1:2375', 'tcp://', 'unix://'])(
    'says what is wrong with %s',
    async (address) => {
      const docker = await connectDocker({ DOCKER_HOST: address });
      expect(docker).toMatchObject({
        ok: false,
        failure: { tag: 'no_engine', message: expect.stringContaining(address) as string },
      });
    },
  );

  it('says where it looked for the certificates of an engine that is reached over TLS', async () => {
    const folder = join(temporaryFolder('certificates'), 'none');
    const environment = {
      DOCKER_HOST: 'tcp://127.0.0.1:2376',
      DOCKER_TLS_VERIFY: '1',
      DOCKER_CERT_PATH: folder,
    };
    expect(await connectDocker(environment)).toMatchObject({
      ok: false,
      failure: { tag: 'no_engine', message: expect.stringContaining(folder) as string },
    });
  });
});
