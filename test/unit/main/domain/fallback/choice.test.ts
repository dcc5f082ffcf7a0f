import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseRunner, handOver } from '../../../../../src/main/domain/fallback/choice.ts';
import type { Runner } from '../../../../../src/main/domain/fallback/choice.ts';
import { coolDownUntil, isCooling } from '../../../../../src/main/domain/fallback/cool-downs.ts';
import type { CoolDown } from '../../../../../src/main/domain/fallback/cool-downs.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const HOUR_MS = 3_600_000;

const work: Runner = { engine: 'claude-code', account: 'work' };
const spare: Runner = { engine: 'claude-code', account: 'spare' };
const other: Runner = { engine: 'codex', account: 'own' };
const program: Runner = { engine: 'command', account: null };
const runners = [work, spare, other];

function cooling(runner: Runner, over: Partial<CoolDown> = {}): CoolDown {
  const { engine, account } = runner;
  return {
    engine,
    account: account ?? '',
    since: NOW - 1,
    until: NOW + HOUR_MS,
    passes: true,
    reason: 'The limit is reached.',
    ...over,
  };
}

describe('what a turn runs on', () => {
  test('is the first that is not used up: the accounts of the engine, then the fallback', () => {
    expect(chooseRunner(runners, [], NOW)).toEqual({ kind: 'run', runner: work });
    expect(chooseRunner(runners, [cooling(work)], NOW)).toEqual({ kind: 'run', runner: spare });
    expect(chooseRunner(runners, [cooling(work), cooling(spare)], NOW)).toEqual({
      kind: 'run',
      runner: other,
    });
  });

  test('an engine without accounts is never used up', () => {
    expect(chooseRunner([program], [cooling(program)], NOW)).toEqual({ kind: 'run', runner: program });
  });

  test('where all are used up, the first to come back is waited for, and not what only a person can heal', () => {
    const coolDowns = [
      cooling(work, { until: NOW + 3 * HOUR_MS }),
      cooling(spare, { until: NOW + 1, passes: false }),
      cooling(other, { until: NOW + 2 * HOUR_MS }),
    ];
    expect(chooseRunner(runners, coolDowns, NOW)).toEqual({
      kind: 'wait',
      runner: other,
      until: NOW + 2 * HOUR_MS,
    });
    const shutOut = runners.map((runner) => cooling(runner, { passes: false }));
    expect(chooseRunner(runners, shutOut, NOW)).toEqual({ kind: 'none' });
  });

  test('whatever cools down: never one that does, always one that does not, and no wait that is over', () => {
    const coolDowns = fc.array(
      fc.record({
        runner: fc.constantFrom(...runners),
        since: fc.integer({ min: NOW - 9, max: NOW + 9 }),
        until: fc.integer({ min: NOW - 9, max: NOW + 9 }),
        passes: fc.boolean(),
      }),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(coolDowns, (drawn) => {
        const rows = [...new Map(drawn.map((row) => [row.runner, row])).values()].map(({ runner, ...row }) =>
          cooling(runner, row),
        );
        const isFree = ({ engine, account }: Runner): boolean =>
          rows.every((row) => row.engine !== engine || row.account !== account || !isCooling(row, NOW));
        const choice = chooseRunner(runners, rows, NOW);
        if (choice.kind === 'run') expect(choice.runner).toBe(runners.find(isFree));
        else expect(runners.some(isFree)).toBe(false);
        if (choice.kind === 'wait') expect(choice.until).toBeGreaterThan(NOW);
      }),
    );
  });
});

describe('a hand-over', () => {
  test('is told from what the role ran on before, else from what it prefers', () => {
    const known = [cooling(work)];
    expect(handOver(spare, work, runners, known, NOW)).toMatchObject({
      from: work,
      to: spare,
      because: known[0],
    });
    expect(handOver(spare, null, runners, known, NOW)).toMatchObject({ from: work, to: spare });
    expect(handOver(spare, spare, runners, known, NOW)).toBeNull();
    expect(handOver(work, null, runners, [], NOW)).toBeNull();
  });

  test('is a coming back where the limit has passed', () => {
    expect(handOver(work, other, runners, [], NOW)).toEqual({ from: other, to: work, because: null });
  });

  test('is none where the settings have changed', () => {
    expect(handOver(work, program, runners, [], NOW)).toBeNull();
    expect(handOver(spare, work, runners, [], NOW)).toBeNull();
  });
});

describe('a cool-down', () => {
  test('lasts until the stated reset, else an hour; at least a minute, at most eight days', () => {
    expect(coolDownUntil(NOW, NOW + 5 * HOUR_MS)).toBe(NOW + 5 * HOUR_MS);
    expect(coolDownUntil(NOW, null)).toBe(NOW + HOUR_MS);
    expect(coolDownUntil(NOW, NOW - HOUR_MS)).toBe(NOW + 60_000);
    expect(coolDownUntil(NOW, NOW + 1)).toBe(NOW + 60_000);
    expect(coolDownUntil(NOW, NOW + 1_000 * 24 * HOUR_MS)).toBe(NOW + 8 * 24 * HOUR_MS);
  });

  test('is over at its end, and where the clock was set back behind its beginning', () => {
    const row = cooling(work, { since: NOW, until: NOW + HOUR_MS });
    expect([NOW - 1, NOW, NOW + HOUR_MS - 1, NOW + HOUR_MS].map((now) => isCooling(row, now))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
