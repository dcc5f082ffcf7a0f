import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { figure, median } from './figure.ts';
import type { Figure } from './figure.ts';
import { valueOf } from './programs.ts';
import type { Scratch } from './scratch.ts';
import { firstByteOnHostMs, never, openPlace, openSealBench, startTalking } from './seal-bench.ts';
import type { SealBench, Talker } from './seal-bench.ts';

const COLD_ROUNDS = 7;
const WARM_ROUNDS = 21;
const STOP_ROUNDS = 7;
const TURNS = 100;
/** On the host and in the image, and with little time of its own that could hide ours. */
const talker: Talker = {
  program: 'node',
  args: ['-e', 'console.log(1); setInterval(() => {}, 1000)'],
  environment: {},
  input: '',
};

/** Containers of rooms: from nothing, warm, stopped, and turn after turn. Needs a container engine. */
export async function containers(scratch: Scratch): Promise<readonly Figure[]> {
  const bench = await openSealBench(scratch);
  const cold = await coldMs(bench);
  const warm = await warmMs(bench);
  const stop = await stopMs(bench);
  return [
    figure({
      name: 'cold container, its probe as both users included',
      value: median(cold),
      unit: 'ms',
      yardstick: 'none, because there is no sealed turn without a container',
      bar: { of: 'value', below: 1_000 },
    }),
    figure({
      name: 'warm turn: first byte of its program, beyond that on the host',
      value: median(warm.inside) - median(warm.onHost),
      unit: 'ms',
      yardstick: { what: 'first byte of the same program on the host', value: median(warm.onHost) },
      bar: { of: 'value', below: 150 },
    }),
    figure({
      name: 'stop to the last process inside gone',
      value: Math.max(...stop),
      unit: 'ms',
      yardstick: 'none, because it is the promise itself',
      bar: { of: 'value', below: 2_000 },
    }),
    figure({
      name: `left by ${TURNS} turns: containers, processes, descriptors, folders`,
      value: await leftByTurns(bench),
      unit: '',
      yardstick: 'none, because nothing may be left',
      bar: { of: 'value', below: 1 },
    }),
  ];
}

async function coldMs({ seals, request }: SealBench): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let round = 0; round < COLD_ROUNDS; round += 1) {
    // A room's container is another one for each other room.
    const room = `room_01J00000000000000000000${round}AA` as const;
    const startedAt = performance.now();
    const place = valueOf(await seals.open({ ...request, room }, never));
    taken.push(performance.now() - startedAt);
    await place.close();
  }
  return taken;
}

async function warmMs(bench: SealBench): Promise<{ readonly inside: number[]; readonly onHost: number[] }> {
  const taken = { inside: [] as number[], onHost: [] as number[] };
  const place = await openPlace(bench);
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    taken.onHost.push(await firstByteOnHostMs(talker, bench.request.snapshots));
    const startedAt = performance.now();
    const running = await startTalking(place, talker);
    taken.inside.push(performance.now() - startedAt);
    running.stop();
    await running.ended;
  }
  await place.close();
  return taken;
}

async function stopMs(bench: SealBench): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let round = 0; round < STOP_ROUNDS; round += 1) {
    const place = await openPlace(bench);
    await startTalking(place, talker);
    await place.cli.commands?.run(
      { command: 'setsid sleep 300 & echo done', timeoutMs: 10_000, maxBytes: 100, onData: () => undefined },
      never,
    );
    const startedAt = performance.now();
    await place.close();
    taken.push(performance.now() - startedAt);
  }
  return taken;
}

async function leftByTurns(bench: SealBench): Promise<number> {
  const turn = async (): Promise<void> => {
    const place = await openPlace(bench);
    const running = await startTalking(place, talker);
    running.stop();
    await running.ended;
    await place.close();
  };
  await turn();
  const before = await held(bench);
  for (let number = 0; number < TURNS; number += 1) await turn();
  return (await held(bench)) - before;
}

/** All that turns could leave, counted together. */
async function held({ docker, label }: SealBench): Promise<number> {
  const all = await docker.listContainers({ all: true, filters: { label: [label] } });
  const processes = await Promise.all(
    all.map(async ({ Id }) => {
      const top: unknown = await docker.getContainer(Id).top();
      return JSON.stringify(top).split('],[').length;
    }),
  );
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('tribune-bench')).length;
  const descriptors = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
  return processes.reduce((sum, count) => sum + count, all.length + folders + descriptors);
}
