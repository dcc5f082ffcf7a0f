import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { figure, median, percentile } from './figure.ts';
import type { Figure } from './figure.ts';
import type { Scratch } from './scratch.ts';

const CALLS = 300;
const WARM_UP_CALLS = 50;

/** What an agent sends with its first call: its instructions and the descriptions of its tools. */
const BODY = Buffer.from(JSON.stringify({ messages: 'x'.repeat(50_000) }));

const STREAMS = 100;
const EVENTS_PER_STREAM = 60;
const ROUNDS = 3;

/** Streams begin one after another, so that their events do not fall on the same instant. */
const START_GAP_MS = 7;

const placeSchema = z.object({ url: z.string(), token: z.string() });
type Place = z.infer<typeof placeSchema>;

/** What the broker adds to an answer on its way, counting its tokens. */
export async function gate(scratch: Scratch): Promise<readonly Figure[]> {
  const direct = await startPart(scratch, 'upstream');
  const through = await startPart(scratch, 'gate', direct.url);
  const agent = new Agent({ keepAlive: true });
  scratch.scope.add('the connections', () => {
    agent.destroy();
  });
  const first = await firstBytes(agent, direct, through);
  const delays = await manyStreams(agent, direct, through);
  return [
    figure({
      name: 'gate, added to the first byte of an answer, p50',
      value: median(first.through) - median(first.direct),
      unit: 'ms',
      yardstick: { what: 'first byte without the gate', value: median(first.direct) },
      bar: { of: 'value', below: 2 },
    }),
    figure({
      name: `gate, added to the way of an event, ${STREAMS} streams at once, p99`,
      value: percentile(delays.through, 0.99) - percentile(delays.direct, 0.99),
      unit: 'ms',
      yardstick: { what: 'the way of an event without the gate', value: percentile(delays.direct, 0.99) },
      bar: { of: 'value', below: 5 },
    }),
  ];
}

interface Compared {
  readonly direct: readonly number[];
  readonly through: readonly number[];
}

/** One call after another, the two ways in turn. */
async function firstBytes(agent: Agent, direct: Place, through: Place): Promise<Compared> {
  const [one, other]: [number[], number[]] = [[], []];
  for (let call = 0; call < WARM_UP_CALLS + CALLS; call += 1) {
    const [directMs, throughMs] = [
      (await answer(agent, direct, 0)).firstByteMs,
      (await answer(agent, through, 0)).firstByteMs,
    ];
    if (call < WARM_UP_CALLS) continue;
    one.push(directMs);
    other.push(throughMs);
  }
  return { direct: one, through: other };
}

/** How long each event was on its way, while so many streams were open; the rounds of the two ways alternate. */
async function manyStreams(agent: Agent, direct: Place, through: Place): Promise<Compared> {
  const [one, other]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [place, delays] of [
      [direct, one],
      [through, other],
    ] as const) {
      const answers = Array.from({ length: STREAMS }, async (_, nth) => {
        await pause(nth * START_GAP_MS);
        return answer(agent, place, EVENTS_PER_STREAM);
      });
      for (const { eventMs } of await Promise.all(answers)) delays.push(...eventMs);
    }
  }
  return { direct: one, through: other };
}

interface Timed {
  readonly firstByteMs: number;
  /** From when upstream sent each event until it was here. */
  readonly eventMs: readonly number[];
}

/** Asks for an answer of so many events, and reads it to its end. */
function answer(agent: Agent, { url, token }: Place, events: number): Promise<Timed> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/messages?events=${events}`, {
      method: 'POST',
      agent,
      headers: { 'x-api-key': token, 'content-type': 'application/json', 'content-length': BODY.length },
    });
    asked.once('error', reject);
    asked.once('response', (response) => {
      if (response.statusCode !== 200)
        reject(new Error(`The answer has status ${response.statusCode ?? 0}.`));
      let firstByteMs: number | null = null;
      const eventMs: number[] = [];
      response.on('data', (chunk: Buffer) => {
        const now = performance.now();
        firstByteMs ??= now - startedAt;
        for (const [, sentAt] of chunk.toString('latin1').matchAll(/"sentAt":([\d.]+)/g)) {
          eventMs.push(performance.timeOrigin + now - Number(sentAt));
        }
      });
      response.once('error', reject);
      response.once('end', () => {
        resolve({ firstByteMs: firstByteMs ?? 0, eventMs });
      });
    });
    asked.end(BODY);
  });
}

async function startPart(scratch: Scratch, ...args: readonly string[]): Promise<Place> {
  const script = join(import.meta.dirname, 'gate-parts.ts');
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  scratch.scope.add(`the ${args[0] ?? 'part'}`, async () => {
    if (child.exitCode !== null) return;
    child.stdin.end();
    await once(child, 'close');
  });
  for await (const line of createInterface({ input: child.stdout })) {
    return placeSchema.parse(JSON.parse(line));
  }
  throw new Error(`The ${args[0] ?? 'part'} did not start.`);
}
