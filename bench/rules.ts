import { decide } from '../src/main/domain/tribunal/decide.ts';
import type { TribunalEvent } from '../src/main/domain/tribunal/event.ts';
import { startTask } from '../src/main/domain/tribunal/start.ts';
import { readVerdict } from '../src/main/domain/verdict/read-verdict.ts';
import { budgetSchema } from '../src/shared/contract/room.ts';
import { figure } from './figure.ts';
import type { Figure } from './figure.ts';

const DECISIONS = 100_000;
const REPORT_BYTES = 1024 * 1024;
const READINGS = 5;

/** How fast the pure rules are: the tribunal's table, and the grammar of verdicts. */
export function rules(): Promise<readonly Figure[]> {
  return Promise.resolve([
    figure({
      name: 'decisions of the tribunal',
      value: decisionsPerSecond(),
      unit: 'per s',
      yardstick: 'none, because nothing else decides by this table',
    }),
    figure({
      name: 'reading a verdict',
      value: readingMsPerMegabyte(),
      unit: 'ms per MB',
      yardstick: { what: 'JSON.stringify of the same text', value: stringifyMsPerMegabyte() },
    }),
  ]);
}

const begun: TribunalEvent = { type: 'turn_started', turn: 1, base: 'snap_1' };
const asked: TribunalEvent = {
  type: 'turn_ended',
  turn: 1,
  attempt: 1,
  visible: true,
  reading: { kind: 'verdict', verdict: 'BLOCKED', via: 'text' },
  text: 'BLOCKED. Which one?',
  report: { findings: [], judgements: [], criteria: [], dropped: [], overruled: [] },
  content: { kind: 'snapshot', snapshot: 'snap_2', equalsApproved: null },
};

/** A task that is started, asks a person and is stopped, again and again. */
function decisionsPerSecond(): number {
  const { task: fresh } = startTask({
    id: 'task_1',
    roomId: 'room_1',
    origin: 'message',
    request: 'Do it.',
    messages: ['msg_1'],
    terms: { mode: 'tribunal', hasArbiter: false, direct: false, budget: budgetSchema.parse({}) },
    criteria: ['It works.'],
    base: null,
  });
  const path: readonly TribunalEvent[] = [begun, asked, { type: 'stop_requested' }];
  const startedAt = performance.now();
  for (let decided = 0; decided < DECISIONS; decided += path.length) {
    let task = fresh;
    for (const event of path) {
      const decision = decide(task, event);
      if (decision.rule === null) throw new Error(`"${event.type}" has no row in "${task.state}".`);
      task = decision.task;
    }
  }
  return (DECISIONS / (performance.now() - startedAt)) * 1000;
}

const paragraph =
  'The parser now takes an empty list, and `npm test` passes; see src/list.ts, line 12. No issues found.\n\n';
const report = `${paragraph.repeat(Math.ceil(REPORT_BYTES / paragraph.length))}DONE\n`;

function readingMsPerMegabyte(): number {
  return msPerMegabyte(() => readVerdict('reviewer', report));
}

function stringifyMsPerMegabyte(): number {
  return msPerMegabyte(() => JSON.stringify(report));
}

function msPerMegabyte(work: () => unknown): number {
  const startedAt = performance.now();
  for (let reading = 0; reading < READINGS; reading += 1) work();
  return (performance.now() - startedAt) / READINGS / (report.length / REPORT_BYTES);
}
