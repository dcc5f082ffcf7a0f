import type { Socket } from 'node:net';
import { methods } from '../../../shared/contract/contract.ts';
import type { FollowInput, MethodName } from '../../../shared/contract/contract.ts';
import { LineReader, MAX_REQUEST_BYTES } from '../../../shared/contract/lines.ts';
import type { Line } from '../../../shared/contract/lines.ts';
import type { Service } from '../../../shared/contract/service.ts';
import {
  badParams,
  encodeLine,
  errorCodes,
  errorOfFailure,
  invalidRequest,
  isMethodName,
  localTenant,
  readFollowInput,
  readInput,
  readRequest,
  readUnfollowInput,
  unfollowMethod,
  unknownId,
} from '../../../shared/contract/wire.ts';
import type { WireRequest, WireResponse } from '../../../shared/contract/wire.ts';
import { messageOf, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { Follower } from './follower.ts';
import type { FollowerLine } from './follower.ts';
import type { ClientGuard } from './peer/client-guard.ts';
import { answerReserved, isReserved } from './reserved-methods.ts';
import type { Answered } from './reserved-methods.ts';

/** Most that is kept for a follower that reads slower than things happen. */
const MAX_UNREAD_BYTES = 8_388_608;

/** What a connection leads to. */
export interface Reached {
  /** The host, as this client sees it; what it decides is recorded under this name. */
  readonly serviceFor: (client: string) => Service;
  readonly guard: ClientGuard;
}

/** The name of a client that decides nothing. */
const SOME_CLIENT = 'a client of the socket';

/**
 * One client: its requests are answered one after another, in order; nothing more is read while one is being
 * answered or while answers wait to be taken.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #reached: Reached;
  readonly #service: Service;
  readonly #reader = new LineReader(MAX_REQUEST_BYTES);
  readonly #followers = new Map<string, Follower>();
  readonly #lines: Line[] = [];
  #working = false;
  #inputEnded = false;

  public constructor(socket: Socket, reached: Reached) {
    this.#socket = socket;
    this.#reached = reached;
    this.#service = reached.serviceFor(SOME_CLIENT);
    socket.on('data', (chunk: Buffer) => {
      this.#take(this.#reader.push(chunk));
    });
    socket.on('end', () => {
      this.#inputEnded = true;
      this.#take(this.#reader.end());
    });
    // A client that vanishes is nothing to report: 'close' follows and ends what it had begun.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#endFollowers('The connection was closed.');
    });
  }

  /** Says goodbye to followers, and closes once the client has taken what was written. */
  public close(reason: string): void {
    this.#endFollowers(reason);
    this.#socket.destroySoon();
  }

  /** Closes at once, whatever the client has not taken. */
  public cut(): void {
    this.#socket.destroy();
  }

  #take(lines: readonly Line[]): void {
    this.#lines.push(...lines);
    void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    this.#socket.pause();
    for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) {
      await this.#answerLine(line);
      await this.#drained();
    }
    this.#working = false;
    if (this.#inputEnded) this.close('The client has ended its side of the connection.');
    else this.#socket.resume();
  }

  async #answerLine(line: Line): Promise<void> {
    if (line.kind !== 'text') {
      this.#write({ id: unknownId, error: invalidRequest(lineProblems[line.kind]) });
      return;
    }
    const { id, request } = readRequest(line.text);
    if (!request.ok) {
      this.#write({ id, error: request.problem });
      return;
    }
    try {
      await this.#answer(request.value);
    } catch (thrown) {
      // A bug of ours: it ends this request, not the host, and is not hidden.
      const message = `A defect in Tribune: ${messageOf(thrown)}`;
      this.#write({ id, error: { code: errorCodes.internal, message } });
    }
  }

  async #answer(request: WireRequest): Promise<void> {
    const { id, method, tenant_id: tenant, params = {} } = request;
    if (tenant !== undefined && tenant !== localTenant) {
      const message = `There is no tenant "${tenant}": this host has one, "${localTenant}".`;
      this.#write({ id, error: { code: errorCodes.notFound, message } });
    } else if (method === 'events.follow') {
      await this.#follow(id, params);
    } else if (method === unfollowMethod) {
      this.#reply(id, this.#unfollow(params));
    } else if (isReserved(method)) {
      this.#reply(id, await answerReserved(method, this.#service));
    } else if (isMethodName(method)) {
      this.#reply(id, await this.#call(method, params));
    } else {
      const message = `There is no method "${method}".`;
      this.#write({ id, error: { code: errorCodes.unknownMethod, message } });
    }
  }

  async #call(method: MethodName, params: unknown): Promise<Answered> {
    const input = readInput(method, params);
    if (!input.ok) return refused(method, input.problem);
    const service = await this.#serviceToCall(method);
    const result = service.ok ? await service.value.call(method, input.value) : service;
    return result.ok
      ? { ok: true, result: result.value }
      : { ok: false, problem: errorOfFailure(result.failure) };
  }

  /** Who decides is looked at each time: a process can have become another since. */
  async #serviceToCall(method: MethodName): Promise<Result<Service>> {
    if (!methods[method].decides) return ok(this.#service);
    const { guard, serviceFor } = this.#reached;
    const admitted = await guard.admit(this.#socket, method);
    return admitted.ok ? ok(serviceFor(admitted.value)) : admitted;
  }

  async #follow(id: string, params: unknown): Promise<void> {
    const input = readFollowInput(params);
    if (!input.ok) {
      this.#reply(id, refused('events.follow', input.problem));
    } else if (this.#followers.has(id)) {
      this.#reply(id, refused('events.follow', `the id "${id}" is following already`));
    } else {
      this.#reply(id, { ok: true, result: { following: true } });
      await this.#startFollower(id, input.value);
    }
  }

  async #startFollower(id: string, input: FollowInput): Promise<void> {
    const follower = new Follower(this.#service, input, this.#followerLine(id));
    this.#followers.set(id, follower);
    await follower.start();
  }

  #followerLine(id: string): FollowerLine {
    return {
      item: (item) => {
        if (this.#socket.writableLength > MAX_UNREAD_BYTES) return false;
        this.#write({ id, item });
        return true;
      },
      drained: () => this.#drained(),
      ended: (reason) => {
        this.#followers.delete(id);
        this.#write({ id, ended: reason });
      },
    };
  }

  #unfollow(params: unknown): Answered {
    const input = readUnfollowInput(params);
    if (!input.ok) return refused(unfollowMethod, input.problem);
    const follower = this.#followers.get(input.value.follow);
    if (follower === undefined) {
      const message = `Nothing is followed under the id "${input.value.follow}".`;
      return { ok: false, problem: { code: errorCodes.notFound, message } };
    }
    follower.end('Unfollowed.');
    return { ok: true, result: { following: false } };
  }

  #reply(id: string, answer: Answered): void {
    this.#write(answer.ok ? { id, result: answer.result } : { id, error: answer.problem });
  }

  #write(response: WireResponse): void {
    if (this.#socket.writable) this.#socket.write(encodeLine(response));
  }

  #drained(): Promise<void> {
    const socket = this.#socket;
    if (!socket.writableNeedDrain || socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        socket.off('drain', done);
        socket.off('close', done);
        resolve();
      };
      socket.once('drain', done);
      socket.once('close', done);
    });
  }

  #endFollowers(reason: string): void {
    for (const follower of this.#followers.values()) follower.end(reason);
  }
}

const lineProblems = {
  too_long: `The line is longer than ${MAX_REQUEST_BYTES} bytes.`,
  not_utf8: 'The line is not UTF-8.',
} as const satisfies Record<Exclude<Line['kind'], 'text'>, string>;

function refused(method: string, problem: string): Answered {
  return { ok: false, problem: errorOfFailure(badParams(method, problem)) };
}
