/**
 * Measures what the product promises to be, each figure beside its yardstick from the same run. Writes
 * `bench/out/latest.json`, prints a table, and exits 1 where a bar is missed. With words, only the groups named so.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { containers } from './containers.ts';
import { codingClis } from './coding-clis.ts';
import { events } from './events.ts';
import type { Figure } from './figure.ts';
import { gate } from './gate.ts';
import { help } from './help.ts';
import { idleHost } from './idle-host.ts';
import { laidOut } from './laid-out.ts';
import { messageToEngine } from './message-to-engine.ts';
import { modelCalls } from './model-calls.ts';
import { recovery } from './recovery.ts';
import { reviewTokens } from './review-tokens.ts';
import { rules } from './rules.ts';
import { Scratch } from './scratch.ts';
import { snapshots } from './snapshot.ts';
import { tableOf } from './table.ts';
import { turnToReviewer } from './turn-to-reviewer.ts';

type Measurement = (scratch: Scratch) => Promise<readonly Figure[]>;

const groups: Readonly<Record<string, Measurement>> = {
  'message-to-engine': messageToEngine,
  'turn-to-reviewer': turnToReviewer,
  snapshots,
  'laid-out': laidOut,
  events,
  help,
  'idle-host': idleHost,
  'model-calls': modelCalls,
  gate,
  'review-tokens': reviewTokens,
  containers,
  'coding-clis': codingClis,
  recovery,
  rules,
};

const wanted = process.argv.slice(2);
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(groups)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const startedAt = performance.now();
  const scratch = new Scratch();
  try {
    figures.push(...(await measure(scratch)));
  } finally {
    await scratch.scope.close();
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.error(`${name}: ${seconds} s, load ${loadavg()[0]?.toFixed(1) ?? '?'}`);
}

const out = join(import.meta.dirname, 'out');
mkdirSync(out, { recursive: true });
if (wanted.length === 0) writeFileSync(join(out, 'latest.json'), `${JSON.stringify(figures, null, 2)}\n`);
console.log(tableOf(figures).join('\n'));
console.log(`\nNode.js ${process.version}, ${availableParallelism()} cores.`);
process.exitCode = figures.every((one) => one.ok) ? 0 : 1;
