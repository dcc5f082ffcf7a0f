import { posix, win32 } from 'node:path';

/** What the places depend on. */
export interface SocketPlace {
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
}

/**
 * Where a container engine listens that nobody has named, best first: Docker's for the machine, Docker's own for
 * this person (Docker Desktop, rootless), then Podman's, which speak the same API.
 */
export function dockerSockets({ platform, environment, home }: SocketPlace): readonly string[] {
  if (platform === 'win32') {
    return ['docker_engine', 'podman-machine-default'].map((name) => win32.join('\\\\.\\pipe', name));
  }
  const inHome = posix.join(home, '.docker', 'run', 'docker.sock');
  if (platform === 'darwin') {
    const machine = posix.join('podman', 'podman-machine-default-api.sock');
    return ['/var/run/docker.sock', inHome, posix.join(environment['TMPDIR'] ?? '/tmp', machine)];
  }
  const runtime = environment['XDG_RUNTIME_DIR'] ?? '';
  const own = (...names: string[]): string[] => (runtime === '' ? [] : [posix.join(runtime, ...names)]);
  return [
    '/var/run/docker.sock',
    inHome,
    ...own('docker.sock'),
    ...own('podman', 'podman.sock'),
    '/run/podman/podman.sock',
  ];
}
