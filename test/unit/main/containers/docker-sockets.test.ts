import { describe, expect, it } from 'vitest';
import { dockerSockets } from '../../../../src/main/containers/docker-sockets.ts';

describe('the places where a container engine may listen', () => {
  it("are on Linux Docker's for the machine first, then this person's, then Podman's", () => {
    const place = {
      platform: 'linux',
      environment: { XDG_RUNTIME_DIR: '/run/user/7' },
      home: '/home/ann',
    } as const;
    expect(dockerSockets(place)).toEqual([
      '/var/run/docker.sock',
      '/home/ann/.docker/run/docker.sock',
      '/run/user/7/docker.sock',
      '/run/user/7/podman/podman.sock',
      '/run/podman/podman.sock',
    ]);
  });

  it('leave out what is in the runtime directory where there is none', () => {
    const found = dockerSockets({
      platform: 'linux',
      environment: { XDG_RUNTIME_DIR: '' },
      home: '/home/ann',
    });
    expect(found).toEqual([
      '/var/run/docker.sock',
      '/home/ann/.docker/run/docker.sock',
      '/run/podman/podman.sock',
    ]);
  });

  it('are named pipes on Windows', () => {
    const found = dockerSockets({ platform: 'win32', environment: {}, home: 'C:\\Users\\ann' });
    expect(found).toEqual(['\\\\.\\pipe\\docker_engine', '\\\\.\\pipe\\podman-machine-default']);
  });

  it("include on macOS the socket of Podman's machine", () => {
    const found = dockerSockets({ platform: 'darwin', environment: { TMPDIR: '/t' }, home: '/Users/ann' });
    expect(found).toContain('/t/podman/podman-machine-default-api.sock');
  });
});
