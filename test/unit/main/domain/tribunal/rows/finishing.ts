import { describe, expect, test } from 'vitest';
import { Trial } from '../../../../../support/trial.ts';

export function finishingRows(): void {
  describe('the finishing turn', () => {
    const differs =
      'finishing turn ends, content differs: reviewed again; the second in a row: the arbiter; without one, or the third time, a person';
    const done = 'finishing turn ends, content equals the approved: done, reviewed';

    test.each([null, 'DONE', 'DONE_WITH_CONCERNS'] as const)(
      'ends with %s, content equals: done, reviewed',
      (says) => {
        const trial = new Trial().approved().ends(says).follows(done);
        expect(trial.task).toMatchObject({
          state: 'completed',
          ending: 'reviewed',
          approved: 'snap_1',
          content: 'snap_1',
        });
        expect(trial.effects).toContainEqual({ type: 'tell_ending', ending: 'reviewed' });
      },
    );

    test('leaves the approved content, whatever a failed try of it had left', () => {
      const trial = new Trial().approved().fails({ content: 'snap_half' }).ends(null).follows(done);
      expect(trial.task).toMatchObject({ content: 'snap_1', approved: 'snap_1' });
    });

    test('may be silent', () => {
      new Trial().approved().ends(null, { visible: false }).follows(done);
    });

    test.each(['BLOCKED', 'NEEDS_CONTEXT'] as const)(
      '%s: the arbiter, or a person, though the content equals',
      (says) => {
        const row =
          'finishing turn BLOCKED or NEEDS_CONTEXT: the arbiter; without one, or the third time, a person';
        const trial = new Trial().approved().ends(says).follows(row);
        expect(trial.task).toMatchObject({ state: 'arbiter_requested', arbitrationAfter: 'owner' });
        trial
          .ends('PROCEED')
          .follows('arbiter PROCEED after an owner was blocked: the owner, under the ruling');
        expect(trial.task.approved).toBeNull();
        const alone = new Trial({ hasArbiter: false }).approved().ends(says).follows(row);
        expect(alone.question.kind).toBe('blocked');
      },
    );

    test('content differs: reviewed again as a round, and nothing is approved', () => {
      const trial = new Trial().approved().ends('DONE', { equals: false }).follows(differs);
      expect(trial.task).toMatchObject({
        state: 'review_ready',
        approved: null,
        content: 'snap_2',
        counters: { rounds: 1, changedFinishes: 1 },
      });
      trial.ends('DONE');
      expect(trial.task).toMatchObject({ state: 'merge_ready', approved: 'snap_2' });
      trial.ends(null).follows(done);
    });

    test('the second in a row that changes content: the arbiter, or a person', () => {
      for (const hasArbiter of [true, false]) {
        const trial = new Trial({ hasArbiter }).approved().ends('DONE', { equals: false }).ends('DONE');
        trial.ends('DONE', { equals: false }).follows(differs);
        expect(trial.task).toMatchObject({ approved: null, counters: { rounds: 2, changedFinishes: 2 } });
        if (hasArbiter)
          expect(trial.task).toMatchObject({ state: 'arbiter_requested', arbitrationAfter: 'review' });
        else expect(trial.question.kind).toBe('deadlock');
      }
    });

    test.each([
      ['the comparison failed', { leaves: { unknown: 'git fails' } }, 'git fails'],
      ['it was not compared', { equals: null }, 'could not be told'],
      ['there is no content', { leaves: null }, 'could not be told'],
    ] as const)('it cannot be told, %s: a person; never done', (_, parts, words) => {
      const trial = new Trial().approved().ends('DONE', parts);
      trial.follows('finishing turn ends, and it cannot be told: a person, never done');
      expect(trial.task).toMatchObject({ state: 'awaiting_person', ending: null });
      expect(trial.question).toMatchObject({ kind: 'cannot_compare', back: { state: 'merge_ready' } });
      expect(trial.question.text).toContain(words);
    });
  });
}
