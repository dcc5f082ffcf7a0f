import { calls, says } from '../test/fakes/messages-server/script.ts';
import type { MessageReply } from '../test/fakes/messages-server/script.ts';
import { startMessagesServer } from '../test/fakes/messages-server/server.ts';
import { makeRoom, nextEvent, openBenchHost, send } from './bench-host.ts';
import { figure } from './figure.ts';
import type { Figure } from './figure.ts';
import { makeProject } from './project.ts';
import type { Scratch } from './scratch.ts';

const FILES = 200;
const CALLS = 60;

/** Two calls by turns: the same one over and over is a loop, and ends the turn. */
const readings: readonly MessageReply[] = [
  calls('list_files', { path: '.' }),
  calls('list_files', { path: 'source' }),
];

/** What a turn adds to each call of the model: the tool, the transcript, the ledger, the events, the next request. */
export async function modelCalls(scratch: Scratch): Promise<readonly Figure[]> {
  const project = scratch.folder('project');
  makeProject(project, FILES);
  const arrivals: number[] = [];
  const host = await openBenchHost(scratch, (_request, number) => {
    arrivals.push(performance.now());
    const reading = number <= CALLS ? readings[number % readings.length] : undefined;
    return reading ?? says('DONE. All is read.');
  });
  await makeRoom(host.service, { name: 'room', directory: project, mode: 'single' });
  const completed = nextEvent(host.service, 'task.completed');
  await send(host.service, 'room', 'Read everything.');
  await completed;
  const first = arrivals[0] ?? 0;
  const last = arrivals.at(-1) ?? 0;
  const bareMs = await bareCallMs(scratch, host.server.requests.at(CALLS / 2));
  return [
    figure({
      name: `a model call with its tool call, host and loopback server together, ${CALLS} in a turn`,
      value: (last - first) / CALLS,
      unit: 'ms',
      yardstick: { what: 'fetch of the same request, reply read to its end', value: bareMs },
    }),
  ];
}

/** The request from the middle of the turn, sent by a bare loop. */
async function bareCallMs(scratch: Scratch, request: unknown): Promise<number> {
  const server = await startMessagesServer(
    (_request, number) => readings[number % readings.length] ?? says('DONE.'),
  );
  scratch.scope.add('the bare model', () => server.close());
  const startedAt = performance.now();
  for (let call = 0; call < CALLS; call += 1) {
    const response = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'any', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    await response.text();
    if (!response.ok) throw new Error(`The server refused the bare request: ${response.status}.`);
  }
  return (performance.now() - startedAt) / CALLS;
}
