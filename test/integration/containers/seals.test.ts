import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createSeals } from '../../../src/main/containers/seals.ts';
import { describeWithReviewerImage } from '../../support/reviewer-image.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { never, openPlace, runAsAgent, runCommand, sealedRoom, valueOf } from './sealed-room.ts';
import type { SealedRoom } from './sealed-room.ts';

const IDLE_MS = 60_000;

/** The container that the room has now, by its id. */
async function containerId(room: SealedRoom): Promise<string> {
  return (await room.container()).id;
}

async function openAndClose(room: SealedRoom): Promise<string> {
  const place = await openPlace(room);
  await place.close();
  return containerId(room);
}

describeWithReviewerImage('the seals of rooms', (sealing) => {
  it('make containers that are what the profile says, as the engine sees them', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const { HostConfig, Config, Mounts, NetworkSettings } = await (await room.container()).inspect();
    expect(HostConfig).toMatchObject({
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      NetworkMode: 'none',
      IpcMode: 'private',
      PidsLimit: 256,
      NanoCpus: 2e9,
      Memory: 2 ** 31,
      MemorySwap: 2 ** 31,
      Privileged: false,
    });
    expect(Config.User).not.toMatch(/^0?(?::|$)/);
    expect(Object.keys(NetworkSettings.Networks)).toEqual(['none']);
    expect(Mounts.map(({ Destination, RW }) => [Destination, RW]).sort()).toEqual([
      ['/dependencies/0', false],
      ['/gate', false],
      ['/snapshots', false],
    ]);
    expect(Config.Labels).toMatchObject({
      'dev.tribune.install': room.options.installId(),
      'dev.tribune.boot': 'boot-1',
      'dev.tribune.room': room.request.room,
    });
    await place.close();
  });

  it('try each new container as both of its users, and say what came of it', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const { probe } = place;
    expect(probe.container).toMatch(/^(?:docker|podman) \d+\.\d+.*, image .+@sha256:[0-9a-f]{64}$/);
    expect(probe.attempts.filter(({ held }) => !held)).toEqual([]);
    const names = probe.attempts.map(({ name }) => name);
    for (const role of ['agent', 'tester']) {
      for (const what of [
        'write to the mount /snapshots',
        'write to the root file system',
        'find a network',
        'gain capabilities in a user namespace',
      ]) {
        expect(names).toContain(`${role}: ${what}`);
      }
    }
    expect(names).toContain('tester: start 300 processes');
    await place.close();
  });

  it('keep one container warm for a room, whatever the turn', async () => {
    const room = await sealedRoom(sealing);
    const first = await openAndClose(room);
    mkdirSync(join(room.request.snapshots, 's2'));
    const place = await openPlace(room, { snapshot: 's2', session: 'task/arbiter' });
    expect((await runAsAgent(place.cli, 'pwd')).output).toBe('/snapshots/s2\n');
    await place.close();
    expect(await containerId(room)).toBe(first);
  });

  it('replace a container that is not what is asked for', async () => {
    const room = await sealedRoom(sealing);
    const first = await openAndClose(room);
    const place = await openPlace(room, { dependencies: [] });
    const second = await containerId(room);
    expect(second).not.toBe(first);
    await place.close();

    await (await room.container()).update({ PidsLimit: 4_000 });
    const changed = await openPlace(room, { dependencies: [] });
    const third = await containerId(room);
    expect(third).not.toBe(second);
    await changed.close();

    await (await room.container()).kill();
    const killed = await openPlace(room, { dependencies: [] });
    expect(await containerId(room)).not.toBe(third);
    await killed.close();
    expect(room.notices).toEqual([]);
  });

  it('replace a container when its image was built anew', async () => {
    const { docker, image } = sealing;
    const tag = `sealed-${randomUUID()}`;
    const name = `tribune-test-alias:${tag}`;
    await docker.getImage(image).tag({ repo: 'tribune-test-alias', tag });
    onTestFinished(async () => {
      await docker.getImage(name).remove({ force: true });
    });
    const room = await sealedRoom(sealing, { image: name });
    const first = await openAndClose(room);
    // The new one has folders where the old one had mounts.
    await (await room.container()).commit({ repo: 'tribune-test-alias', tag });
    const place = await openPlace(room);
    expect(await containerId(room)).not.toBe(first);
    expect((await runCommand(place.cli, 'stat -c "%a %u" /workbench')).output).toMatch(/^700 \d+\n$/);
    expect((await runAsAgent(place.cli, 'stat', '-c', '%a', '/home/agent')).output).toBe('700\n');
    await place.close();
    await room.seals.close();
  });

  it('remove a container that waits too long for its next turn', async () => {
    const clock = new ManualClock();
    const room = await sealedRoom(sealing, { clock, idleMs: IDLE_MS });
    await openAndClose(room);
    clock.advance(IDLE_MS - 1);
    const place = await openPlace(room);
    clock.advance(10 * IDLE_MS);
    expect((await runAsAgent(place.cli, 'echo', 'still here')).output).toBe('still here\n');
    await place.close();
    clock.advance(IDLE_MS);
    await expect.poll(() => room.containers(), { timeout: 5_000 }).toEqual([]);
  });

  it('remove what earlier boots have left, in any state, and nothing of others', async () => {
    const room = await sealedRoom(sealing);
    const { docker, options } = room;
    const ours = await openAndClose(room);
    const make = async (install: string, boot: string, start: boolean): Promise<string> => {
      const container = await docker.createContainer({
        Image: options.image,
        Cmd: ['sleep', '300'],
        Labels: { 'dev.tribune.install': install, 'dev.tribune.boot': boot },
        HostConfig: { NetworkMode: 'none' },
      });
      if (start) await container.start();
      return container.id;
    };
    const other = await make(`${options.installId()}-other`, 'boot-0', true);
    onTestFinished(() =>
      docker
        .getContainer(other)
        .remove({ force: true })
        .then(() => undefined),
    );
    await make(options.installId(), 'boot-0', false);
    await make(options.installId(), 'boot-0', true);
    const paused = await make(options.installId(), 'boot-0', true);
    await docker.getContainer(paused).pause();
    const exited = await make(options.installId(), 'boot-0', true);
    await docker.getContainer(exited).kill();
    const startedAt = performance.now();
    expect(valueOf(await room.seals.removeLeftovers())).toBe(4);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect((await room.containers()).map(({ Id }) => Id)).toEqual([ours]);
    expect((await docker.getContainer(other).inspect()).State.Running).toBe(true);
    expect(valueOf(await room.seals.removeLeftovers())).toBe(0);
    await room.seals.close();
    expect(await room.containers()).toEqual([]);
  });

  it('let a sealed owner write in its worktree, and nowhere else', async () => {
    const room = await sealedRoom(sealing);
    const worktree = join(room.folder, 'worktree');
    mkdirSync(worktree);
    writeFileSync(join(worktree, 'work.txt'), 'before\n');
    const place = await openPlace(room, { worktree, dependencies: [] });
    expect(place.cli).toMatchObject({ directory: '/worktree', commands: null });
    const script = 'echo after >work.txt; ls /snapshots; touch /gate/x; touch /x';
    const { errors } = await runAsAgent(place.cli, 'sh', '-c', script);
    expect(readFileSync(join(worktree, 'work.txt'), 'utf8')).toBe('after\n');
    expect(errors.match(/No such file|Read-only file system/g)).toHaveLength(3);
    await place.close();
    expect(statSync(worktree).isDirectory()).toBe(true);
  });

  it('say why a program could not be started, in the words of the engine', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room, { snapshot: 'not-there' });
    const silent = { onOutput: () => undefined, onProblem: () => undefined, onScreen: () => undefined };
    const started = await place.cli.start({ program: 'true', args: [], environment: {}, ...silent }, never);
    expect(started).toMatchObject({ ok: false, failure: { tag: 'start_failed' } });
    expect(JSON.stringify(started)).toMatch(/did not start in the container: .*not-there.*no such file/);
    await place.close();
  });

  it.runIf(process.getuid?.() === 0)(
    'give a worktree of ours to the agent where the host is root',
    async () => {
      const room = await sealedRoom(sealing);
      const worktree = join(room.folder, 'worktree');
      const outside = join(room.folder, 'outside');
      mkdirSync(join(worktree, 'deep'), { recursive: true });
      writeFileSync(outside, 'the store\n');
      writeFileSync(join(worktree, 'deep', 'file'), 'the base\n');
      linkSync(outside, join(worktree, 'shared'));
      symlinkSync(outside, join(worktree, 'deep', 'link'));
      const place = await openPlace(room, { worktree });
      await runAsAgent(place.cli, 'sh', '-c', 'echo written >deep/file; echo new >new; echo bad >shared');
      expect(readFileSync(join(worktree, 'deep', 'file'), 'utf8')).toBe('written\n');
      expect(readFileSync(join(worktree, 'new'), 'utf8')).toBe('new\n');
      expect(readFileSync(outside, 'utf8')).toBe('the store\n');
      expect(statSync(outside).uid).toBe(0);
      await place.close();
    },
  );

  it.runIf(process.getuid?.() === 0)(
    "keep a person's own directory theirs where the host is root",
    async () => {
      const room = await sealedRoom(sealing);
      const worktree = temporaryFolder('own');
      const opened = await room.seals.open({ ...room.request, worktree }, never);
      expect(opened).toMatchObject({ ok: false, failure: { tag: 'seal_broken' } });
      expect(statSync(worktree).uid).toBe(0);
    },
  );

  it('say that a container was lost in the middle of a turn, and make a new one for the next', async () => {
    const room = await sealedRoom(sealing);
    const place = await openPlace(room);
    const ended = runAsAgent(place.cli, 'sleep', '300');
    const command = place.cli.commands?.run(
      { command: 'echo up; sleep 300', timeoutMs: 60_000, maxBytes: 1_000, onData: () => void remove() },
      never,
    );
    const remove = async (): Promise<void> => {
      await (await room.container()).remove({ force: true });
    };
    expect(await ended).toMatchObject({ by: 'lost', exitCode: null });
    expect(await command).toMatchObject({ ok: false, failure: { tag: 'lost' } });
    expect(await place.cli.layDown('late', 'x')).toMatchObject({ ok: false, failure: { tag: 'lost' } });
    await place.close();
    const next = await openPlace(room);
    expect((await runCommand(next.cli, 'echo new')).output).toBe('new\n');
    await next.close();
    expect(room.notices).toEqual([]);
  });

  it('say that the container engine went away in the middle of a turn', async () => {
    const between = await engineThatCanGo();
    const room = await sealedRoom(sealing, { environment: { DOCKER_HOST: between.address } });
    const place = await openPlace(room);
    const ended = runAsAgent(place.cli, 'sh', '-c', 'sleep 300');
    expect((await runCommand(place.cli, 'echo up')).output).toBe('up\n');
    between.go();
    expect(await ended).toMatchObject({
      by: 'lost',
      exitCode: null,
      problem: expect.stringContaining('does not answer') as string,
    });
    await place.close();
    expect(await room.seals.open(room.request, never)).toMatchObject({
      ok: false,
      failure: { tag: 'no_engine' },
    });
    expect(await room.seals.check()).toMatchObject({ ok: false, failure: { tag: 'no_engine' } });
  });

  it('say what is missing, and the way out', async () => {
    const noImage = await sealedRoom(sealing, { image: 'no-such-image:ever' });
    const image = await noImage.seals.open(noImage.request, never);
    expect(image).toMatchObject({ ok: false, failure: { tag: 'image_missing' } });
    expect(image.ok ? '' : image.failure.next).toContain('tribune image build');
    const noEngine = await sealedRoom(sealing, { environment: { DOCKER_HOST: 'unix:///no/such.sock' } });
    const engine = await noEngine.seals.open(noEngine.request, never);
    expect(engine).toMatchObject({ ok: false, failure: { tag: 'no_engine' } });
    expect(engine.ok ? '' : engine.failure.next).toContain('`anthropic`');
    const noRuntime = await sealedRoom(sealing, { runtime: 'no-such-runtime' });
    expect(await noRuntime.seals.open(noRuntime.request, never)).toMatchObject({
      ok: false,
      failure: { tag: 'start_failed' },
    });
    const room = await sealedRoom(sealing);
    expect(valueOf(await room.seals.check())).toContain(room.options.image);
    expect(await room.seals.open(room.request, AbortSignal.abort())).toMatchObject({
      ok: false,
      failure: { tag: 'stopped' },
    });
    rmSync(room.request.snapshots, { recursive: true });
    expect(await room.seals.open(room.request, never)).toMatchObject({
      ok: false,
      failure: { tag: 'start_failed' },
    });
    expect(await room.containers()).toEqual([]);
  });

  it("never mount the container engine's socket", async () => {
    const room = await sealedRoom(sealing);
    for (const source of ['/', '/var/run', '/run/', '/var/run/docker.sock']) {
      const dependencies = [{ path: 'node_modules', source }];
      expect(await room.seals.open({ ...room.request, dependencies }, never)).toMatchObject({
        ok: false,
        failure: { tag: 'seal_broken' },
      });
    }
    const link = join(room.folder, 'link');
    symlinkSync('/var/run', link);
    const dependencies = [{ path: 'node_modules', source: link }];
    expect(await room.seals.open({ ...room.request, dependencies }, never)).toMatchObject({
      ok: false,
      failure: { tag: 'seal_broken' },
    });
    expect(await room.containers()).toEqual([]);
  });

  it('leave no container when they are stopped while one is made', async () => {
    const room = await sealedRoom(sealing);
    const abort = new AbortController();
    const opening = room.seals.open(room.request, abort.signal);
    setImmediate(() => {
      abort.abort();
    });
    expect(await opening).toMatchObject({ ok: false, failure: { tag: 'stopped' } });
    expect(await room.containers()).toEqual([]);
    const again = createSeals(room.options);
    const closing = again.open(room.request, never);
    await again.close();
    await closing;
    expect(await room.containers()).toEqual([]);
  });
});

/** The container engine behind a socket of ours, which can go away as an engine does that is restarted. */
async function engineThatCanGo(): Promise<{ readonly address: string; go(): void }> {
  const path = join(temporaryFolder('engine'), 'docker.sock');
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const engine = connect({ path: '/var/run/docker.sock', allowHalfOpen: true });
    for (const socket of [client, engine]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => open.delete(socket));
    }
    client.pipe(engine).pipe(client);
  });
  await new Promise<void>((listening) => server.listen(path, listening));
  const go = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  onTestFinished(go);
  return { address: `unix://${path}`, go };
}
