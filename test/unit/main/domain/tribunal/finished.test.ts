import { describe, expect, test } from 'vitest';
import { finishedContent, isApplicable } from '../../../../../src/main/domain/tribunal/finished.ts';
import type { Task } from '../../../../../src/main/domain/tribunal/task.ts';
import { endings } from '../../../../../src/shared/vocabulary/words.ts';
import type { Ending } from '../../../../../src/shared/vocabulary/words.ts';
import { Trial } from '../../../../support/trial.ts';

/** A task that has come to each ending, by its own decisions. */
const ended: Record<Ending, (direct: boolean) => Task> = {
  reviewed: (direct) => new Trial({ direct }).approved().ends('DONE').task,
  unreviewed: (direct) => new Trial({ direct, mode: 'single' }).ends('DONE').task,
  accepted: (direct) =>
    new Trial({ direct, hasArbiter: false }).worked().ends('BLOCKED').isAnswered('accept').task,
  stopped: (direct) => new Trial({ direct }).approved().isStopped().task,
  superseded: (direct) => new Trial({ direct }).approved().hears('more').task,
};

const cases = endings.flatMap((ending) => [true, false].map((direct) => ({ ending, direct })));

describe('finished content', () => {
  test.each(endings)('of a task that ended as %s', (ending) => {
    const task = ended[ending](false);
    expect(task.ending).toBe(ending);
    expect(task.content).toBe('snap_1');
    expect(finishedContent(task)).toBe(ending === 'stopped' ? null : 'snap_1');
  });

  test('of a task that gave way is what was approved of it, and nothing else', () => {
    const task = ended.superseded(false);
    expect(finishedContent({ ...task, content: 'snap_2' })).toBe('snap_1');
    expect(finishedContent({ ...task, approved: null })).toBeNull();
  });

  test('is none while a task goes on, be it approved', () => {
    expect(finishedContent(new Trial().approved().task)).toBeNull();
  });

  test.each(cases)('can be applied once: $ending, direct: $direct', ({ ending, direct }) => {
    const task = ended[ending](direct);
    expect(isApplicable(task, null)).toBe(ending !== 'stopped' && !direct);
    expect(isApplicable(task, 1_000)).toBe(false);
  });
});
