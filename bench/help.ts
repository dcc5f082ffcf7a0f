import { figure, median } from './figure.ts';
import type { Figure } from './figure.ts';
import { builtCommand, runMs } from './programs.ts';

const RUNS = 11;

/** How soon the command line answers. */
export async function help(): Promise<readonly Figure[]> {
  const own: number[] = [];
  const bare: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    own.push(await runMs(builtCommand, '--help'));
    bare.push(await runMs('-e', '0'));
  }
  return [
    figure({
      name: 'tribune --help, p50',
      value: median(own),
      unit: 'ms',
      yardstick: { what: 'node -e 0', value: median(bare) },
      bar: { of: 'value', below: 200 },
    }),
  ];
}
