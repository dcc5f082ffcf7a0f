import type { Socket } from 'node:net';
import type { MethodName } from '../../../../shared/contract/contract.ts';
import { err, ok, type Failure, type Result } from '../../../../shared/kernel/result.ts';
import { readPeer } from './peer-credentials.ts';

/** A process, as it can be seen from outside. */
export interface SeenProcess {
  /** Its program, then its parent's, and so on. */
  readonly names: readonly string[];
  /** It runs in the process tree of an agent. */
  readonly ofAgent: boolean;
}

/** `client_gone`: it can no longer be seen whose connection it is. */
export interface ClientRefused extends Failure {
  readonly tag: 'agent_refused' | 'client_gone';
}

/** Says who may decide and configure: people, as far as the system tells them from the agents that run as them. */
export interface ClientGuard {
  /** Gives who is at the other end, in words for the record; or why that one may not call this method. */
  admit(socket: Socket, method: MethodName): Promise<Result<string, ClientRefused>>;
}

/** What is noted of a client that was refused. */
export interface Refusal {
  readonly method: MethodName;
  readonly client: string;
  readonly reason: string;
}

/** How clients are looked at. */
export interface ClientGuardOptions {
  /** Looks at a process; null where it no longer runs. */
  readonly see: (pid: number) => Promise<SeenProcess | null>;
  /** Told of each refusal. */
  readonly refused: (refusal: Refusal) => void;
}

/** Most programs of a lineage that are named: enough to recognise a terminal by. */
const NAMED = 5;

/** Refuses clients that run in an agent's process tree. A client of which nothing can be known is let in, and recorded so. */
export function createClientGuard({ see, refused }: ClientGuardOptions): ClientGuard {
  return {
    async admit(socket, method) {
      const peer = await readPeer(socket);
      if (!peer.ok) return ok(`a client of the socket (${peer.failure.message})`);
      const { pid, uid } = peer.value;
      const seen = await see(pid);
      const names = seen === null ? '' : ` (${seen.names.slice(0, NAMED).join(' < ')})`;
      const client = `a client of the socket, pid ${pid}${names}, uid ${uid}`;
      if (seen?.ofAgent === false) return ok(client);
      const refusal = seen === null ? clientGone(method, pid) : agentRefused(method, client);
      refused({ method, client, reason: refusal.message });
      return err(refusal);
    },
  };
}

function agentRefused(method: MethodName, client: string): ClientRefused {
  return {
    tag: 'agent_refused',
    message: `"${method}" is for people, and whoever asks runs in an agent's terminal: ${client}.`,
    next: 'Use a terminal that no agent has started.',
  };
}

/** A connection can be handed on; who opened it and is gone may have been an agent. */
function clientGone(method: MethodName, pid: number): ClientRefused {
  return {
    tag: 'client_gone',
    message: `"${method}" was not carried out: process ${pid}, which opened the connection, no longer runs.`,
    next: 'Keep the process that connects until it has its answer.',
  };
}
