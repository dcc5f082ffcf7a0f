import type { Socket } from 'node:net';
import { z } from 'zod';
import { err, messageOf, ok, type Failure, type Result } from '../../../../shared/kernel/result.ts';

/** The process that opened a connection, as the system noted it then. */
export interface PeerCredentials {
  readonly pid: number;
  /** Its user's number. */
  readonly uid: number;
}

/** The system does not tell, or cannot any more. */
export interface PeerUnknown extends Failure {
  readonly tag: 'peer_unknown';
}

/** Node.js has the connection's descriptor, but does not show it. */
const withDescriptor = z.object({ _handle: z.object({ fd: z.int().min(0) }) });

/** `int getsockopt(int, int, int, void *, socklen_t *)`, which gives 0 where it went well. */
type GetSocketOption = (descriptor: number, level: number, name: number, value: Buffer) => boolean;

/**
 * Who is at the other end of a local connection. Known on Linux and macOS; elsewhere, and where the connection is
 * closed, nobody can tell.
 */
export async function readPeer(socket: Socket): Promise<Result<PeerCredentials, PeerUnknown>> {
  const read = readers[process.platform];
  if (read === undefined) return unknown(`${process.platform} does not say`);
  const handle = withDescriptor.safeParse(socket);
  if (!handle.success) return unknown('the connection is closed');
  try {
    const peer = read(await socketOptions(), handle.data._handle.fd);
    return peer === null || peer.pid <= 0 ? unknown('the system does not say') : ok(peer);
  } catch (cause) {
    return unknown(messageOf(cause));
  }
}

function unknown(why: string): Result<never, PeerUnknown> {
  return err({ tag: 'peer_unknown', message: `The process at the other end is not known: ${why}.` });
}

type Reader = (option: GetSocketOption, descriptor: number) => PeerCredentials | null;

const readers: Readonly<Partial<Record<NodeJS.Platform, Reader>>> = {
  // SO_PEERCRED gives `struct ucred { pid_t pid; uid_t uid; gid_t gid; }`, see unix(7).
  linux(option, descriptor) {
    const SOL_SOCKET = 1;
    const SO_PEERCRED = 17;
    const credentials = Buffer.alloc(12);
    if (!option(descriptor, SOL_SOCKET, SO_PEERCRED, credentials)) return null;
    return { pid: credentials.readInt32LE(0), uid: credentials.readUInt32LE(4) };
  },
  // LOCAL_PEERPID gives a `pid_t`, LOCAL_PEERCRED a `struct xucred` that begins with its version and the user, see
  // sys/un.h and sys/ucred.h.
  darwin(option, descriptor) {
    const SOL_LOCAL = 0;
    const LOCAL_PEERCRED = 1;
    const LOCAL_PEERPID = 2;
    const pid = Buffer.alloc(4);
    const credentials = Buffer.alloc(76);
    const known =
      option(descriptor, SOL_LOCAL, LOCAL_PEERPID, pid) &&
      option(descriptor, SOL_LOCAL, LOCAL_PEERCRED, credentials);
    return known ? { pid: pid.readInt32LE(0), uid: credentials.readUInt32LE(4) } : null;
  },
};

let loaded: Promise<GetSocketOption> | null = null;

/** Loaded when it is first needed: it is for few requests, and takes as long as all else that a request needs. */
function socketOptions(): Promise<GetSocketOption> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<GetSocketOption> {
  const koffi = await import('koffi');
  const call: (...args: unknown[]) => unknown = koffi
    .load(null)
    .func('int getsockopt(int fd, int level, int name, _Out_ uint8_t *value, _Inout_ uint32_t *length)');
  return (descriptor, level, name, value) => {
    const length = [value.length];
    return call(descriptor, level, name, value, length) === 0 && length[0] === value.length;
  };
}
