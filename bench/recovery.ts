import { startMessagesServer } from '../test/fakes/messages-server/server.ts';
import { makeRoom, send } from './bench-host.ts';
import { figure, median } from './figure.ts';
import type { Figure } from './figure.ts';
import { endProcess, runMs, startHost } from './programs.ts';
import { makeProject } from './project.ts';
import type { Scratch } from './scratch.ts';

const FILES = 200;
const KILLS = 5;

/** Kills the host in the middle of a model call, and measures until the next host has taken the turn up again. */
export async function recovery(scratch: Scratch): Promise<readonly Figure[]> {
  const project = scratch.folder('project');
  makeProject(project, FILES);
  // Never answers, so every host is killed with its turn under way.
  const server = await startMessagesServer(() => ({ kind: 'hang' }));
  scratch.scope.add('the model', () => server.close());
  const data = scratch.folder('data');
  let host = await startHost(scratch, data, server.url);
  await makeRoom(host.service, { name: 'room', directory: project, mode: 'single' });
  await send(host.service, 'room', 'Begin.');
  await server.received(1);
  const ready: number[] = [];
  const resumed: number[] = [];
  const bare: number[] = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await endProcess(host.process, 'SIGKILL');
    bare.push(await runMs('-e', '0'));
    const startedAt = performance.now();
    host = await startHost(scratch, data, server.url);
    ready.push(host.readyMs);
    await server.received(kill + 1);
    resumed.push(performance.now() - startedAt);
  }
  const yardstick = { what: 'node -e 0', value: median(bare) };
  return [
    figure({ name: 'kill -9 → next host ready', value: median(ready), unit: 'ms', yardstick }),
    figure({
      name: 'kill -9 → its turn goes on (next model call sent)',
      value: median(resumed),
      unit: 'ms',
      yardstick,
    }),
  ];
}
