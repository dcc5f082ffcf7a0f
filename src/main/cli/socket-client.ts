import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import type {
  FollowInput,
  FollowItem,
  MethodInput,
  MethodName,
  MethodOutput,
} from '../../shared/contract/contract.ts';
import { LineReader, MAX_RESPONSE_BYTES } from '../../shared/contract/lines.ts';
import type { Line } from '../../shared/contract/lines.ts';
import type { Service } from '../../shared/contract/service.ts';
import {
  encodeLine,
  failureOfError,
  readFollowItem,
  readOutput,
  readResponse,
  unfollowMethod,
} from '../../shared/contract/wire.ts';
import type { WireResponse } from '../../shared/contract/wire.ts';
import { err, messageOf, ok } from '../../shared/kernel/result.ts';
import type { Failure, Result } from '../../shared/kernel/result.ts';
import { checkPlace } from '../gateway/socket/socket-path.ts';

interface Followed {
  readonly onItem: (item: FollowItem) => void;
  readonly onEnd: (reason: string) => void;
}

/** A host at the other end of a socket. */
export class SocketClient implements Service {
  readonly #socket: Socket;
  readonly #reader = new LineReader(MAX_RESPONSE_BYTES);
  readonly #waiting = new Map<string, (answer: Result<unknown>) => void>();
  readonly #followed = new Map<string, Followed>();
  #lastId = 0;
  #lost: Failure | null = null;

  public constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      for (const line of this.#reader.push(chunk)) this.#take(line);
    });
    socket.on('error', (error) => {
      this.#lose(`The connection to the host broke: ${messageOf(error)}.`);
    });
    socket.on('close', () => {
      this.#lose('The host has closed the connection.');
    });
  }

  public async call<N extends MethodName>(name: N, input: MethodInput<N>): Promise<Result<MethodOutput<N>>> {
    const answer = await this.#request(name, input);
    if (!answer.ok) return answer;
    const output = readOutput(name, answer.value);
    return output.ok ? ok(output.value) : err(otherVersion(name, output.problem));
  }

  public follow(
    input: FollowInput,
    onItem: (item: FollowItem) => void,
    onEnd: (reason: string) => void,
  ): () => void {
    const id = this.#newId();
    this.#followed.set(id, { onItem, onEnd });
    void this.#requestAs(id, 'events.follow', input).then((answer) => {
      if (!answer.ok) this.#endFollow(id, answer.failure.message);
    });
    return () => {
      if (this.#followed.delete(id)) void this.#request(unfollowMethod, { follow: id });
    };
  }

  /** Resolves when the connection is gone. */
  public async close(): Promise<void> {
    this.#lose('The connection was closed.');
    if (this.#socket.closed) return;
    await new Promise<void>((resolve) => {
      this.#socket.once('close', () => {
        resolve();
      });
      this.#socket.destroySoon();
    });
  }

  #request(method: string, params: unknown): Promise<Result<unknown>> {
    return this.#requestAs(this.#newId(), method, params);
  }

  #requestAs(id: string, method: string, params: unknown): Promise<Result<unknown>> {
    if (this.#lost !== null) return Promise.resolve(err(this.#lost));
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.write(encodeLine({ id, method, params }));
    });
  }

  #newId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  #take(line: Line): void {
    const response = line.kind === 'text' ? readResponse(line.text) : null;
    if (response === null) {
      this.#lose('The host wrote a line that is no response.');
      this.#socket.destroy();
      return;
    }
    this.#takeResponse(response);
  }

  #takeResponse(response: WireResponse): void {
    const { id } = response;
    if ('item' in response) {
      const item = readFollowItem(response.item);
      if (item.ok) this.#followed.get(id)?.onItem(item.value);
      else this.#endFollow(id, otherVersion('events.follow', item.problem).message);
    } else if ('ended' in response) {
      this.#endFollow(id, response.ended);
    } else {
      const resolve = this.#waiting.get(id);
      this.#waiting.delete(id);
      resolve?.('error' in response ? err(failureOfError(response.error)) : ok(response.result));
    }
  }

  #endFollow(id: string, reason: string): void {
    const followed = this.#followed.get(id);
    this.#followed.delete(id);
    followed?.onEnd(reason);
  }

  /** What was asked and not answered is answered now; the first reason stays. */
  #lose(message: string): void {
    if (this.#lost !== null) return;
    this.#lost = {
      tag: 'connection_lost',
      message,
      next: 'Whether the last request was carried out is not known: look with `tribune tasks`.',
    };
    for (const resolve of this.#waiting.values()) resolve(err(this.#lost));
    this.#waiting.clear();
    for (const id of [...this.#followed.keys()]) this.#endFollow(id, message);
  }
}

export type ConnectFailure = Failure & { readonly tag: 'no_host' | 'host_unreachable' };

/** Connects to the host that listens at a path. `no_host` says that none does. */
export function connectSocket(path: string): Promise<Result<SocketClient, ConnectFailure>> {
  const place = checkPlace(path);
  if (!place.ok) {
    // Where no socket is, nobody can be taken for a host; the one that is opened then closes the directory.
    const tag = existsSync(path) ? 'host_unreachable' : 'no_host';
    return Promise.resolve(err({ ...place.failure, tag }));
  }
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const onError = (error: NodeJS.ErrnoException): void => {
      const tag = nobodyThere.has(error.code ?? '') ? 'no_host' : 'host_unreachable';
      resolve(err({ tag, message: `No host answers at ${path}: ${messageOf(error)}.` }));
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      resolve(ok(new SocketClient(socket)));
    });
  });
}

const nobodyThere: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

function otherVersion(name: string, problem: string): Failure {
  return {
    tag: 'bad_answer',
    message: `The host's answer to ${name} cannot be read: ${problem}.`,
    next: 'The host may be of another version: stop it and start this one.',
  };
}
