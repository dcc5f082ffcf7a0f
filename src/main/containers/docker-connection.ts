import { accessSync, constants, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { DockerOptions } from 'dockerode';
import { err, messageOf, ok } from '../../shared/kernel/result.ts';
import type { Result } from '../../shared/kernel/result.ts';
import { systemErrorCode } from '../../shared/kernel/system-error.ts';
import type { CliFailure } from '../ports/coding-cli.ts';
import { dockerSockets } from './docker-sockets.ts';

/** The ports that the Docker client uses where an address names none. */
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/**
 * A client of the container engine that `DOCKER_HOST` names (`unix://`, `npipe://`, `tcp://`, with `DOCKER_TLS_VERIFY`
 * and `DOCKER_CERT_PATH` as Docker's own client takes them), else of the first engine that listens at one of the
 * platform's usual places. Nothing is sent yet: whether the engine answers shows in the first call.
 */
export async function connectDocker(environment: NodeJS.ProcessEnv): Promise<Result<Docker, CliFailure>> {
  const address = environment['DOCKER_HOST'] ?? '';
  const place = address === '' ? usualPlace(environment) : placeAt(address, environment);
  if (!place.ok) return place;
  // It takes a while to load, and most hosts start without needing it.
  const { default: Client } = await import('dockerode');
  return ok(new Client(place.value));
}

function usualPlace(environment: NodeJS.ProcessEnv): Result<DockerOptions, CliFailure> {
  const places = dockerSockets({ platform: process.platform, environment, home: homedir() });
  const refusals = places.map((path) => ({ path, code: accessRefusal(path) }));
  const open = refusals.find(({ code }) => code === null);
  if (open !== undefined) return ok(overSocket(open.path));
  const forbidden = refusals.find(({ code }) => code === 'EACCES' || code === 'EPERM');
  if (forbidden !== undefined) {
    return noEngine(
      `A container engine listens at ${forbidden.path}, but this user may not use it.`,
      'Let this user use Docker (on Linux: membership in the group docker), or run a rootless Docker or Podman.',
    );
  }
  return noEngine(
    `No container engine was found: nothing listens at ${places.join(', ')}.`,
    'Install and start Docker or Podman, or name the engine with DOCKER_HOST; see docs/containers.md.',
  );
}

function placeAt(address: string, environment: NodeJS.ProcessEnv): Result<DockerOptions, CliFailure> {
  const [, scheme = '', rest = ''] = /^(unix|npipe|tcp|https?):\/\/(.+)$/.exec(address) ?? [];
  if (scheme === 'unix' || scheme === 'npipe') return ok(overSocket(rest));
  const url = scheme === '' ? null : URL.parse(`http://${rest}`);
  if (url === null) {
    return noEngine(
      `DOCKER_HOST is ${address}, which is no address of a container engine.`,
      'Write it as unix:///path/to/the.sock, npipe:////./pipe/name or tcp://host:port.',
    );
  }
  const secure = scheme === 'https' || (environment['DOCKER_TLS_VERIFY'] ?? '') !== '';
  const port = url.port === '' ? (secure ? TLS_PORT : PLAIN_PORT) : Number(url.port);
  const place = { host: url.hostname, port };
  if (!secure) return ok({ ...place, protocol: 'http' });
  const folder = environment['DOCKER_CERT_PATH'] ?? join(homedir(), '.docker');
  try {
    const [ca, cert, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readFileSync(join(folder, name)));
    return ok({ ...place, protocol: 'https', ca, cert, key });
  } catch (thrown) {
    if (systemErrorCode(thrown) === null) throw thrown;
    return noEngine(
      `The certificates for the container engine at ${address} cannot be read: ${messageOf(thrown)}.`,
      'Name the folder that has ca.pem, cert.pem and key.pem with DOCKER_CERT_PATH.',
    );
  }
}

/** `host` is said to be none, for the library would take it from the process's own environment. */
function overSocket(socketPath: string): DockerOptions {
  return { socketPath, host: undefined };
}

/** Why a socket cannot be used, as an error code; null where it can. */
function accessRefusal(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code === null) throw thrown;
    return code;
  }
}

function noEngine(message: string, next: string): Result<never, CliFailure> {
  return err({ tag: 'no_engine', message, next });
}
