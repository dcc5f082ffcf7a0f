import { join } from 'node:path';
import { prepared } from '../test/support/prepare/prepared.ts';
import { figure, median } from './figure.ts';
import type { Figure } from './figure.ts';
import type { Scratch } from './scratch.ts';
import { firstByteOnHostMs, openPlace, openSealBench, startTalking } from './seal-bench.ts';
import type { SealBench, Talker } from './seal-bench.ts';

const ROUNDS = 15;

/** Nobody listens there: both talk before they call their model, and are ended then. */
const NOBODY = 'http://127.0.0.1:9';

/** The real programs, as a turn starts them, until their first line of JSON. */
const programs: readonly Talker[] = [
  {
    program: 'claude',
    args: [
      '--print',
      ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
      ...['--setting-sources', 'user', '--strict-mcp-config'],
    ],
    environment: {
      ANTHROPIC_BASE_URL: NOBODY,
      ANTHROPIC_API_KEY: 'any',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    input: `${JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'Go.' }] } })}\n`,
  },
  {
    program: 'codex',
    args: [
      ...['exec', '--json', '--skip-git-repo-check', '--ignore-user-config', '--ignore-rules'],
      ...['--config', 'model_provider="nobody"'],
      ...[
        '--config',
        `model_providers.nobody={name="Nobody",base_url="${NOBODY}",wire_api="responses",env_key="KEY"}`,
      ],
      '-',
    ],
    environment: { KEY: 'any' },
    input: 'Go.',
  },
];

/** The start of the real coding agents in a warm container, beside the same on the host. Needs a container engine. */
export async function codingClis(scratch: Scratch): Promise<readonly Figure[]> {
  const clis = await prepared('coding-clis.ts');
  if (!clis.there) throw new Error(`Claude Code and Codex are not there: ${clis.why}`);
  const bench = await openSealBench(scratch);
  const home = scratch.folder('home');
  const figures: Figure[] = [];
  for (const talker of programs) {
    const onHost = {
      ...talker,
      program: join(clis.value, talker.program),
      environment: { ...talker.environment, HOME: home, CODEX_HOME: home },
    };
    figures.push(await warmStart(bench, talker, onHost));
  }
  return figures;
}

/** The first of each is left out: each makes the home that the others find. */
async function warmStart(bench: SealBench, inside: Talker, onHost: Talker): Promise<Figure> {
  const sealed: number[] = [];
  const bare: number[] = [];
  const place = await openPlace(bench);
  for (let round = 0; round <= ROUNDS; round += 1) {
    const hostMs = await firstByteOnHostMs(onHost, bench.request.snapshots);
    const startedAt = performance.now();
    const running = await startTalking(place, inside);
    const sealedMs = performance.now() - startedAt;
    running.stop();
    await running.ended;
    if (round === 0) continue;
    bare.push(hostMs);
    sealed.push(sealedMs);
  }
  await place.close();
  return figure({
    name: `warm turn: first byte of ${inside.program}, beyond that on the host, p50`,
    value: median(sealed) - median(bare),
    unit: 'ms',
    yardstick: { what: `first byte of ${inside.program} on the host`, value: median(bare) },
    bar: { of: 'value', below: 150 },
  });
}
