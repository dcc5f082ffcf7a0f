import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import type Docker from 'dockerode';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { CommandLine } from '../support/command-line.ts';
import type { Ended } from '../support/command-line.ts';
import { baseForTests } from '../support/prepare/base-image.ts';
import { readSurroundings } from '../support/prepare/surroundings.ts';
import { describeWithReviewerImage } from '../support/reviewer-image.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const pinned = resolve(import.meta.dirname, '../../resources/reviewer/package.json');

const descriptionSchema = z.strictObject({
  image: z.string(),
  id: z.string(),
  bytes: z.number(),
  versions: z.record(z.string(), z.string()),
});

const failureSchema = z.object({
  error: z.object({ tag: z.string(), message: z.string(), next: z.string() }),
});

/** Nothing listens on the discard port of a container that builds. */
const DEAD_MIRROR = 'http://127.0.0.1:9/debian';

function failureIn({ out }: Ended): z.infer<typeof failureSchema>['error'] {
  return failureSchema.parse(JSON.parse(out)).error;
}

/** The engine of the tests, and no host. */
async function commandLine(environment: NodeJS.ProcessEnv = {}): Promise<CommandLine> {
  const { DOCKER_HOST } = process.env;
  return CommandLine.prepare({ environment: { DOCKER_HOST, ...environment } });
}

/** What the image of the tests was built with, so that the engine has all of it in its cache. */
async function usualFlags(docker: Docker): Promise<string[]> {
  const { registry, certificates } = readSurroundings(process.env);
  const flags = ['--base', await baseForTests(docker), '--registry', registry];
  return certificates === null ? flags : [...flags, '--ca', certificates];
}

/** A package mirror that takes connections and says nothing, where containers that build can reach it. */
async function silentMirror(): Promise<{ readonly url: string; readonly asked: Promise<unknown> }> {
  const bridge = networkInterfaces()['docker0']?.find(({ family }) => family === 'IPv4');
  if (bridge === undefined) throw new Error("Docker's bridge docker0 is not there.");
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
  });
  server.listen(0, bridge.address);
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The mirror has no port.');
  return { url: `http://${bridge.address}:${address.port}/debian`, asked: once(server, 'connection') };
}

/** Containers in which steps of a build with this mirror run or ran. */
async function buildContainers(docker: Docker, mirror: string): Promise<string[]> {
  const listed = await docker.listContainers({ all: true, filters: { label: ['dev.tribune.image=stage'] } });
  const inspected = await Promise.allSettled(listed.map(({ Id }) => docker.getContainer(Id).inspect()));
  return inspected.flatMap((outcome) =>
    outcome.status === 'fulfilled' && outcome.value.Config.Env.includes(`MIRROR=${mirror}`)
      ? [outcome.value.Id]
      : [],
  );
}

/** Waits for the first thing on a stream, and ends the stream. */
async function first(stream: NodeJS.ReadableStream): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
}

describeWithReviewerImage('tribune image build', ({ docker, image }) => {
  it('builds the image that is asked for, and reports its size and versions, without a host', async () => {
    const line = await commandLine();
    const built = await line.json(descriptionSchema, ['image', 'build', ...(await usualFlags(docker))]);
    const { dependencies } = z
      .object({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(pinned, 'utf8')));
    expect(built.image).toBe(image);
    expect(built.id).toBe((await docker.getImage(image).inspect()).Id);
    expect(built.versions).toMatchObject({
      claude: dependencies['@anthropic-ai/claude-code'],
      codex: dependencies['@openai/codex'],
    });
    for (const name of ['debian', 'git', 'node']) expect(built.versions[name]).toMatch(/^\d+\.\d+/);
    // The coding agents alone are 0.79 GB.
    expect(built.bytes).toBeLessThan(1.3e9);
    expect(readdirSync(line.home)).toEqual([]);
  });

  it('tells a person without a terminal what it does, line by line', async () => {
    const line = await commandLine();
    const built = await line.run(['image', 'build', ...(await usualFlags(docker))]);
    expect(built).toMatchObject({ code: 0, problems: '' });
    expect(built.out).toContain('Building …\n');
    expect(built.out).toMatch(/is built: 1\.\d\d GB\.\n {2}Debian 12\.\d+, git /);
  });

  it('says how to go on where the base image is missing', async () => {
    const line = await commandLine();
    const failed = await line.run(['image', 'build', '--base', 'tribune.invalid/none:none', '--json']);
    expect(failed.code).toBe(1);
    expect(failureIn(failed)).toMatchObject({ tag: 'base_missing' });
    expect(failureIn(failed).message).toContain('tribune.invalid/none:none');
    expect(failureIn(failed).next).toContain('docs/containers.md');
  });

  it('shows the last lines of a step that fails', async () => {
    const line = await commandLine();
    const failed = await line.run([
      'image',
      'build',
      ...(await usualFlags(docker)),
      '--mirror',
      DEAD_MIRROR,
      '--json',
    ]);
    expect(failed.code).toBe(1);
    const { tag, message, next } = failureIn(failed);
    expect(tag).toBe('build_failed');
    expect(message).toMatch(/step \d+ of \d+ failed \(Fetching git/);
    expect(message).toContain(`${DEAD_MIRROR}/dists/bookworm`);
    expect(next).toContain('--mirror');
    expect(await buildContainers(docker, DEAD_MIRROR)).toEqual([]);
  });

  it('ends the build in the engine too when it is interrupted', async () => {
    const mirror = await silentMirror();
    const line = await commandLine();
    const flags = [...(await usualFlags(docker)), '--mirror', mirror.url];
    const building = line.start(['image', 'build', ...flags]);
    // The engine runs the step from here on, for as long as the mirror is silent.
    await mirror.asked;
    const [container, ...others] = await buildContainers(docker, mirror.url);
    if (container === undefined) throw new Error('The step that asked the mirror has no container.');
    expect(others).toEqual([]);
    const events = await docker.getEvents({ filters: { container: [container], event: ['destroy'] } });
    const ended = await building.interrupt();
    expect(ended.code).toBe(130);
    expect(ended.problems).toContain('The build was stopped.');
    await first(events);
    expect(await buildContainers(docker, mirror.url)).toEqual([]);
  });
});

it('says what to do where no engine answers', async () => {
  const socket = join(temporaryFolder('engine'), 'docker.sock');
  const line = await commandLine({ DOCKER_HOST: `unix://${socket}` });
  const failed = await line.run(['image', 'build', '--json']);
  expect(failed.code).toBe(1);
  expect(failureIn(failed)).toMatchObject({ tag: 'no_engine' });
  expect(failureIn(failed).message).toContain(socket);
  expect(failureIn(failed).next).toContain('DOCKER_HOST');
});

it('says what is wrong with a file of certificates before anything is built', async () => {
  const line = await commandLine();
  const failed = await line.run(['image', 'build', '--ca', pinned, '--json']);
  expect(failed.code).toBe(1);
  expect(failureIn(failed)).toMatchObject({ tag: 'bad_certificate' });
});
