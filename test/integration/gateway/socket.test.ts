import { once } from 'node:events';
import { chmod, lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectSocket } from '../../../src/main/cli/socket-client.ts';
import type { SocketClient } from '../../../src/main/cli/socket-client.ts';
import type { Reached } from '../../../src/main/gateway/socket/connection.ts';
import { socketPathFor } from '../../../src/main/gateway/socket/socket-path.ts';
import { serveSocket } from '../../../src/main/gateway/socket/socket-server.ts';
import type { SocketServer } from '../../../src/main/gateway/socket/socket-server.ts';
import type { FollowItem } from '../../../src/shared/contract/contract.ts';
import { systemClock } from '../../../src/shared/kernel/clock.ts';
import { err, ok } from '../../../src/shared/kernel/result.ts';
import { FakeService } from '../../support/fake-service.ts';

let directory: string;
let path: string;
let service: FakeService;
let server: SocketServer | null;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tribune-socket-'));
  path = join(directory, 'host.sock');
  service = new FakeService();
  server = null;
});

afterEach(async () => {
  await server?.close();
  await rm(directory, { recursive: true, force: true });
});

/** The service of the test, for anybody. */
const reached = (): Reached => ({
  serviceFor: () => service,
  guard: { admit: () => Promise.resolve(ok('somebody')) },
});

async function serve(at = path): Promise<void> {
  const served = await serveSocket({ ...reached(), path: at, clock: systemClock });
  if (!served.ok) throw new Error(served.failure.message);
  server = served.value;
}

async function connect(): Promise<SocketClient> {
  const client = await connectSocket(path);
  if (!client.ok) throw new Error(client.failure.message);
  return client.value;
}

/** A client that writes lines as they are, and reads what comes back. */
class RawClient {
  readonly socket: Socket;
  readonly #lines: AsyncIterator<string>;

  public constructor() {
    this.socket = createConnection(path);
    this.#lines = createInterface({ input: this.socket })[Symbol.asyncIterator]();
  }

  public send(...lines: string[]): void {
    this.socket.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** The next line; null at the end. */
  public async next(): Promise<unknown> {
    const line = await this.#lines.next();
    return line.done === true ? null : JSON.parse(line.value);
  }
}

const status = {
  version: '1.2.3',
  startedAt: Date.UTC(2026, 0, 2),
  dataDirectory: '/data',
  rooms: 2,
  running: 1,
  turnsAtOnce: 5,
};

describe('requests', () => {
  it('are answered in order, also where the first takes longest', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    service.on('rooms.list', async () => {
      await promise;
      return ok([]);
    });
    await serve();
    const client = new RawClient();
    client.send('{"id":"a","method":"rooms.list"}', '{"id":"b","method":"ping"}');
    client.send('{"id":"c","method":"tasks.diff","params":{"task":"t"}}');
    resolve(undefined);
    expect(await client.next()).toEqual({ id: 'a', result: [] });
    expect(await client.next()).toEqual({ id: 'b', result: { pong: true } });
    expect(await client.next()).toMatchObject({
      id: 'c',
      error: { code: -32603, data: { tag: 'not_here' } },
    });
    client.socket.destroy();
  });

  it('that are none are answered with AgentComms’ codes, and the connection goes on', async () => {
    service.on('tasks.stop', () => err({ tag: 'not_found', message: 'There is no task.', next: 'Look.' }));
    await serve();
    const client = new RawClient();
    client.send('nonsense', '{"id":"1"}', '{"id":"2","method":"no.such"}');
    client.send('{"id":"3","method":"tasks.list","params":{"limit":0}}');
    client.send('{"id":"4","method":"tasks.stop","params":{"task":"x"}}');
    client.send('{"id":"5","method":"send","params":{}}');
    client.send(
      '{"id":"6","method":"ping","tenant_id":"other"}',
      '{"id":"7","method":"ping","tenant_id":"local"}',
    );
    expect(await client.next()).toMatchObject({ id: '', error: { code: -32600 } });
    expect(await client.next()).toMatchObject({ id: '1', error: { code: -32600 } });
    expect(await client.next()).toMatchObject({ id: '2', error: { code: -32601 } });
    expect(await client.next()).toMatchObject({ id: '3', error: { code: -32602 } });
    expect(await client.next()).toEqual({
      id: '4',
      error: { code: -32604, message: 'There is no task.', data: { tag: 'not_found', next: 'Look.' } },
    });
    expect(await client.next()).toMatchObject({
      id: '5',
      error: { code: -32601, message: expect.stringContaining('reserved') as string },
    });
    expect(await client.next()).toMatchObject({ id: '6', error: { code: -32604 } });
    expect(await client.next()).toEqual({ id: '7', result: { pong: true } });
    client.socket.destroy();
  });

  it('longer than a request may be are refused, and the next is answered', async () => {
    await serve();
    const client = new RawClient();
    client.send(`{"id":"1","method":"${'x'.repeat(1_100_000)}"}`, '{"id":"2","method":"ping"}');
    expect(await client.next()).toMatchObject({ id: '', error: { code: -32600 } });
    expect(await client.next()).toEqual({ id: '2', result: { pong: true } });
    client.socket.destroy();
  });

  it('are answered to a client that ends its side at once, without a last line feed', async () => {
    service.on('host.status', () => ok(status));
    await serve();
    const client = new RawClient();
    client.socket.end('{"id":"1","method":"status"}');
    expect(await client.next()).toEqual({
      id: '1',
      result: { running: true, started_at: '2026-01-02T00:00:00.000Z', agents: 0, providers: [] },
    });
    expect(await client.next()).toBeNull();
  });

  it('that meet a defect of ours get an error, and the host goes on', async () => {
    service.on('rooms.list', () => {
      throw new Error('a bug');
    });
    service.on('host.status', () => ok(status));
    await serve();
    const client = await connect();
    const failed = await client.call('rooms.list', {});
    expect(failed.ok ? '' : failed.failure.message).toContain('a bug');
    expect(await client.call('host.status', {})).toEqual(ok(status));
    await client.close();
  });

  it('that are waiting get an answer when the host ends', async () => {
    service.on('rooms.list', () => new Promise(() => undefined));
    await serve();
    const client = await connect();
    const waiting = client.call('rooms.list', {});
    await expect.poll(() => service.calls).toContain('rooms.list');
    await server?.close();
    const answer = await waiting;
    expect(answer.ok ? '' : answer.failure.tag).toBe('connection_lost');
  });
});

describe('following', () => {
  it('gives the past and then the present, without a gap', async () => {
    for (let count = 0; count < 1_234; count += 1) service.happen('counted', { count });
    await serve();
    const client = await connect();
    const seen: number[] = [];
    client.follow(
      { after: 0 },
      (item) => seen.push('event' in item ? item.event.seq : -1),
      () => undefined,
    );
    await expect.poll(() => service.followers).toBe(1);
    service.happen('counted');
    await expect.poll(() => seen.length).toBe(1_235);
    expect(seen).toEqual(Array.from({ length: 1_235 }, (_, index) => index + 1));
    await client.close();
    await expect.poll(() => service.followers).toBe(0);
  });

  it('ends by unfollowing, and requests go on', async () => {
    await serve();
    const client = new RawClient();
    client.send('{"id":"f","method":"events.follow","params":{}}');
    expect(await client.next()).toEqual({ id: 'f', result: { following: true } });
    service.happen('seen');
    expect(await client.next()).toMatchObject({ id: 'f', item: { event: { type: 'seen' } } });
    client.send('{"id":"u","method":"unfollow","params":{"follow":"f"}}');
    expect(await client.next()).toMatchObject({ id: 'f', ended: 'Unfollowed.' });
    expect(await client.next()).toEqual({ id: 'u', result: { following: false } });
    expect(service.followers).toBe(0);
    client.send('{"id":"u2","method":"unfollow","params":{"follow":"f"}}');
    expect(await client.next()).toMatchObject({ id: 'u2', error: { code: -32604 } });
    client.socket.destroy();
  });

  it('lets a reader go that is too slow, with the place to follow again from', async () => {
    await serve();
    const client = createConnection(path);
    client.pause();
    client.write('{"id":"f","method":"events.follow","params":{}}\n');
    await expect.poll(() => service.followers).toBe(1);
    const text = 'x'.repeat(1_000_000);
    for (let count = 0; count < 40 && service.followers > 0; count += 1) service.happen('flood', { text });
    expect(service.followers).toBe(0);
    let received = '';
    client.setEncoding('utf8').on('data', (chunk: string) => (received = (received + chunk).slice(-200)));
    client.resume();
    await expect.poll(() => received).toMatch(/too slow\. Follow again after \d+\."\}\n$/);
    client.destroy();
  });

  it('takes its time with a long past for a slow reader, and loses nothing', async () => {
    const text = 'x'.repeat(100_000);
    for (let count = 0; count < 300; count += 1) service.happen('long', { text });
    await serve();
    const client = await connect();
    const seen: FollowItem[] = [];
    client.follow(
      { after: 0 },
      (item) => seen.push(item),
      () => undefined,
    );
    await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(300);
    await client.close();
  });

  it('says goodbye when the host ends', async () => {
    await serve();
    const client = await connect();
    const ended = new Promise<string>((resolve) => {
      client.follow({}, () => undefined, resolve);
    });
    await expect.poll(() => service.followers).toBe(1);
    await server?.close();
    expect(await ended).toBe('The host is shutting down.');
  });
});

describe('the socket', () => {
  it('is closed to others, and gone when the host ends', async () => {
    await serve();
    expect((await lstat(path)).mode & 0o777).toBe(0o600);
    await server?.close();
    await expect(lstat(path)).rejects.toThrow('ENOENT');
  });

  it('takes the place of a dead host’s', async () => {
    const dead = createServer();
    dead.listen(join(directory, 'dead.sock'));
    await once(dead, 'listening');
    const { renameSync } = await import('node:fs');
    renameSync(join(directory, 'dead.sock'), path);
    dead.close();
    await once(dead, 'close');
    await serve();
    const client = new RawClient();
    client.send('{"id":"1","method":"ping"}');
    expect(await client.next()).toEqual({ id: '1', result: { pong: true } });
    client.socket.destroy();
  });

  it('never takes the place of a live host’s', async () => {
    await serve();
    const second = await serveSocket({ ...reached(), path, clock: systemClock });
    expect(second.ok ? '' : second.failure.tag).toBe('socket_in_use');
    const client = new RawClient();
    client.send('{"id":"1","method":"ping"}');
    expect(await client.next()).toEqual({ id: '1', result: { pong: true } });
    client.socket.destroy();
  });

  it('never takes the place of another file', async () => {
    await writeFile(path, 'precious');
    const served = await serveSocket({ ...reached(), path, clock: systemClock });
    expect(served.ok ? '' : served.failure.tag).toBe('socket_blocked');
    expect((await lstat(path)).size).toBe(8);
  });

  it('is not made where other users could reach it, nor trusted there', async () => {
    await chmod(directory, 0o755);
    const served = await serveSocket({ ...reached(), path, clock: systemClock });
    expect(served.ok ? '' : served.failure.tag).toBe('socket_unsafe');
    const nobody = await connectSocket(path);
    expect(nobody.ok ? '' : nobody.failure.tag).toBe('no_host');
    await writeFile(path, 'of somebody else');
    const client = await connectSocket(path);
    expect(client.ok ? '' : client.failure.tag).toBe('host_unreachable');
  });

  it('works for a data directory whose path is too long for a socket', async () => {
    path = socketPathFor(join(directory, 'deep/'.repeat(30)));
    await serve();
    const client = new RawClient();
    client.send('{"id":"1","method":"ping"}');
    expect(await client.next()).toEqual({ id: '1', result: { pong: true } });
    client.socket.destroy();
    await server?.close();
    await rm(dirname(path), { recursive: true });
  });

  it('that is not there says that no host is', async () => {
    const client = await connectSocket(path);
    expect(client.ok ? '' : client.failure.tag).toBe('no_host');
  });
});
