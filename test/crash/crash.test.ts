import { beforeAll, describe, expect, test } from 'vitest';
import { stepNames } from '../../src/shared/kernel/steps.ts';
import type { StepName } from '../../src/shared/kernel/steps.ts';
import { Draws } from '../support/draws.ts';
import { phases } from './death.ts';
import type { Death } from './death.ts';
import { Sandbox } from './sandbox.ts';
import type { Life } from './sandbox.ts';
import { nothingRemains, readRemains, readStory } from './story.ts';
import type { Story } from './story.ts';

/** How many scenarios the deaths at steps are dealt out to; as many as there are deaths, and each has one of its own. */
const CHAINS = Number(process.env['TRIBUNE_CRASH_CHAINS'] ?? 8);
/** How many scenarios are cut off at random beside them, and the first of their seeds. */
const RANDOM_RUNS = Number(process.env['TRIBUNE_CRASH_RUNS'] ?? 6);
const SEED = Number(process.env['TRIBUNE_CRASH_SEED'] ?? 1);
const DEATHS_IN_A_RUN = 3;
const LATEST_DEATH_MS = 60;

/** Steps during which something outside is at work, and how far into them the host dies. */
const longSteps = [
  'workspace.opened',
  'setup.run',
  'workspace.reset',
  'effect.performed',
  'content.taken',
  'content.compared',
  'apply.written',
] as const satisfies readonly StepName[];
const delaysMs = [8, 25];

/** Loosely, for a loaded machine: from opening the host until its first step. The benchmark has the figure. */
const RECOVERY_MS = 5_000;
const TEST_MS = 240_000;

let undisturbed: { readonly story: Story; readonly life: Life };

beforeAll(async () => {
  await withSandbox(async (sandbox) => {
    const life = await sandbox.live(null);
    expect(life, life.output).toMatchObject({ code: 0 });
    expect(readRemains(sandbox)).toEqual(nothingRemains);
    undisturbed = { story: readStory(sandbox), life };
  });
}, TEST_MS);

describe('a host that nothing disturbs', () => {
  test('passes every step that there is', () => {
    const passed = new Set(undisturbed.life.passages.map(({ name }) => name));
    expect(stepNames.filter((name) => !passed.has(name))).toEqual([]);
  });

  test('comes to the endings that the scenario is about', () => {
    const { tasks, checkout } = undisturbed.story;
    expect(tasks.map(({ ending, applied }) => ({ ending, applied }))).toEqual([
      { ending: 'reviewed', applied: 1 },
      { ending: 'stopped', applied: 0 },
      { ending: 'superseded', applied: 1 },
      { ending: 'reviewed', applied: 1 },
    ]);
    expect(checkout).toMatchObject({
      'log.txt': 'second\nthird\n',
      'hello.txt': 'hello\ngoodbye\nuntil soon\n',
    });
  });
});

describe.concurrent('a host that is killed before and after every step', () => {
  const chains = Array.from({ length: CHAINS }, (_, chain) => chain);
  test.each(chains)(
    `loses nothing and doubles nothing (chain %i of ${CHAINS})`,
    { timeout: TEST_MS },
    (chain) =>
      withSandbox(async (sandbox) => {
        for (const death of deathsAtSteps().filter((_, place) => place % CHAINS === chain)) {
          const life = await sandbox.live(death);
          const died = `${death.phase ?? ''} ${death.name ?? ''}: ${life.output}`;
          expect(life, died).toMatchObject({ signal: 'SIGKILL' });
          expect(life.passages.slice(-2), died).toMatchObject([
            { phase: death.phase, name: death.name },
            { phase: 'killed', name: death.name },
          ]);
          expectSoon(life);
        }
        await expectAllIsWell(sandbox);
      }),
  );
});

describe.concurrent('a host that is killed within the steps that take time', () => {
  test.each(delaysMs)('loses nothing and doubles nothing (after %i ms)', { timeout: TEST_MS }, (delayMs) =>
    withSandbox(async (sandbox) => {
      for (const death of inOrder(
        longSteps.map((name) => ({ name, phase: 'before', occurrence: 1, delayMs })),
      )) {
        const life = await sandbox.live(death);
        expect(life, life.output).toMatchObject({ signal: 'SIGKILL' });
        expectSoon(life);
      }
      await expectAllIsWell(sandbox);
    }),
  );
});

describe('a host that is killed between a message and the owner that is to hear it', () => {
  const supersedes = { name: 'message.accepted', phase: 'after', occurrence: 4, delayMs: 0 } as const;
  const followsUp = { ...supersedes, occurrence: 5 };
  test('loses nothing and doubles nothing', { timeout: TEST_MS }, () =>
    withSandbox(async (sandbox) => {
      for (const death of [supersedes, followsUp]) {
        const life = await sandbox.live(death);
        expect(life, life.output).toMatchObject({ signal: 'SIGKILL' });
      }
      await expectAllIsWell(sandbox);
    }),
  );
});

describe.concurrent('a host that is killed anywhere, again and again', () => {
  const seeds = Array.from({ length: RANDOM_RUNS }, (_, run) => SEED + run);
  test.each(seeds)('loses nothing and doubles nothing (seed %i)', { timeout: TEST_MS }, (seed) =>
    withSandbox(async (sandbox) => {
      const draws = new Draws(seed);
      for (let died = 0; died < DEATHS_IN_A_RUN; died += 1) {
        const occurrence = 1 + draws.below(undisturbed.life.passages.length);
        const delayMs = draws.onceIn(2) ? draws.below(LATEST_DEATH_MS) : 0;
        const life = await sandbox.live({ name: null, phase: null, occurrence, delayMs });
        if (life.code === 0) break;
        expect(life, life.output).toMatchObject({ signal: 'SIGKILL' });
        expectSoon(life);
      }
      await expectAllIsWell(sandbox);
    }),
  );
});

/** Every edge of every step. */
function deathsAtSteps(): readonly Death[] {
  return inOrder(
    stepNames.flatMap((name) => phases.map((phase): Death => ({ name, phase, occurrence: 1, delayMs: 0 }))),
  );
}

/** As they come up for the first time: whoever dies at one has the next ones ahead. */
function inOrder(deaths: readonly Death[]): readonly Death[] {
  const { passages } = undisturbed.life;
  const firstOf = ({ name, phase }: Death): number =>
    passages.findIndex((passage) => passage.name === name && passage.phase === phase);
  return deaths.toSorted((one, other) => firstOf(one) - firstOf(other));
}

async function expectAllIsWell(sandbox: Sandbox): Promise<void> {
  const last = await sandbox.live(null);
  expect(last, last.output).toMatchObject({ code: 0 });
  expectSoon(last);
  expect(readRemains(sandbox)).toEqual(nothingRemains);
  expect(readStory(sandbox)).toEqual(undisturbed.story);
}

/** A host that has nothing left to do passes no step. */
function expectSoon({ passages: [first] }: Life): void {
  expect(first?.atMs ?? 0).toBeLessThan(RECOVERY_MS);
}

async function withSandbox(work: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  const sandbox = await Sandbox.make();
  try {
    await work(sandbox);
  } finally {
    await sandbox.remove();
  }
}
